import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Json } from '../../parts/command.tsx';
import { Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';

/** What a text of the catalog has at its places: `{{orderId}}`, `{{user.name|there}}`. */
const PLACEHOLDER = /\{\{\s*([^{}|]{1,200}?)\s*(?:\|[^{}]{0,1000})?\}\}/g;

/** The text of a notification with its values masked: the template as it is now, the names of its values in their places. */
export function MaskedPreview({
  templateId,
  channel,
}: {
  templateId: string;
  channel: string;
}): VNode | null {
  const { value } = useResource('catalog', (signal) => call('getCatalog', { signal }));
  const texts = value && textsOf(value.catalog, templateId, channel);
  if (!texts) return null;
  return (
    <Box
      title="Text"
      note={
        <>
          the{' '}
          <a href={`/catalog/templates/${encodeURIComponent(templateId)}`}>
            template <Text of={templateId} />
          </a>{' '}
          as it is now, with its values masked
        </>
      }
    >
      <div class="masked-preview">
        {texts.title !== undefined && (
          <p class="message-title">
            <Masked text={texts.title} />
          </p>
        )}
        <p>
          <Masked text={texts.body} />
        </p>
        {texts.data !== undefined && (
          <>
            <p class="note">Data for the app:</p>
            <Json of={texts.data} label="the data of this push message" />
          </>
        )}
      </div>
    </Box>
  );
}

function Masked({ text }: { text: string }): VNode {
  const parts: (string | VNode)[] = [];
  let from = 0;
  for (const { 0: whole, 1: name, index } of text.matchAll(PLACEHOLDER)) {
    parts.push(<Text of={text.slice(from, index)} />, <span class="masked">{name}</span>);
    from = index + whole.length;
  }
  return (
    <>
      {parts}
      <Text of={text.slice(from)} />
    </>
  );
}

interface Texts {
  readonly title?: string;
  readonly body: string;
  /** What a push message has for the app. */
  readonly data?: unknown;
}

/** Finds the texts of a template for a channel in a catalog: those of the channel, or else its own. */
function textsOf(catalog: Record<string, unknown>, templateId: string, channel: string): Texts | undefined {
  const templates = Array.isArray(catalog.templates) ? catalog.templates.map(fieldsOf) : [];
  const template = templates.find((each) => each.templateId === templateId);
  if (!template) return undefined;
  const own = fieldsOf(template[channel]);
  const title = [own.subject, own.title, template.title].find((text) => typeof text === 'string');
  const body = [own.text, own.body, template.body].find((text) => typeof text === 'string');
  if (body === undefined) return undefined;
  return {
    body,
    ...(title !== undefined && channel !== 'sms' ? { title } : {}),
    ...(own.data === undefined ? {} : { data: own.data }),
  };
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
