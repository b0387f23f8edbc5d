import document from '../../openapi.json' with { type: 'json' };

/** The API description as in openapi.json. */
export const openApiText = `${JSON.stringify(document, null, 2)}\n`;
