import { expect, test } from 'vitest';
import { type CatalogError, parseCatalog } from '../../../../src/service/catalog/parse.ts';
import { textsFor, variablesOf } from '../../../../src/service/catalog/templates/template-texts.ts';
import { compose } from '../../../../src/service/notifications/providers/compose.ts';

const ORDER = {
  templateId: 'order',
  title: 'Order {{orderId}}',
  body: 'Hello {{user.name|there}}, {{orderId}} is on its way.',
  email: {
    subject: 'Your order {{orderId}}',
    text: 'Hello {{user.name|there}}, {{orderId}} is on its way.',
    html: '<p title="{{orderId}}">Hello {{user.name|there}}</p>',
  },
  push: { title: 'On its way', body: '{{orderId}}', data: { screen: 'orders', order: '{{orderId}}' } },
  whatsapp: { name: 'order_update', language: 'en_GB', parameters: ['user.name|there', 'orderId'] },
  locales: {
    de: { title: 'Post {{orderId}}', body: 'Hallo {{user.name|du}}, {{orderId}} ist da.' },
    'de-at': { sms: { text: 'Hallo Wien, {{orderId}} ist da.' } },
    'zh-Hant': { body: '{{orderId}}' },
  },
};

const templateOf = (template: object) => {
  const text = JSON.stringify({ contents: [], templates: [template] });
  return parseCatalog(text).templates.get((template as { templateId: string }).templateId)!;
};
const issuesOf = (template: object): string[] => {
  try {
    templateOf({ templateId: 't', ...template });
    return [];
  } catch (error) {
    return (error as CatalogError).issues.map(({ path, message }) => `${path} ${message}`);
  }
};

/** The message to a user with this locale and name. */
function messageFor(channel: string, locale: string | null, name = '<Ada & "Co">') {
  const composed = compose({
    ...{ workspaceId: 'ws', notificationId: 'n', hashId: 'h', templateId: 'order', priority: 'marketing' },
    ...{ channel, earlierTries: 0, trace: null, address: 'a', addressHash: 'hash', email: undefined },
    template: textsFor(templateOf(ORDER), channel, locale)!,
    variables: { orderId: '<1>' },
    personal: { name },
  });
  if (!composed.ok) throw new Error(composed.failure);
  return composed.message;
}

test('a user gets the texts of the locale, else of its language, else those of the template', () => {
  expect(messageFor('sms', 'de-AT').text).toBe('Hallo Wien, <1> ist da.');
  expect(messageFor('sms', 'de_CH', 'Ada').text).toBe('Hallo Ada, <1> ist da.');
  expect(messageFor('sms', 'de-Latn-CH', '').text).toBe('Hallo du, <1> ist da.');
  for (const locale of ['fr', 'zh', null])
    expect(messageFor('sms', locale, '').text).toContain('Hello there');
  expect(messageFor('sms', 'zh-Hant-TW').text).toBe('<1>');
});

test('texts of two locales are never mixed in one message', () => {
  const email = messageFor('email', 'de', 'Ada');
  expect([email.subject, email.text, email.html]).toEqual(['Post <1>', 'Hallo Ada, <1> ist da.', undefined]);
  // The locale has something for SMS only: for other channels it counts as if it were not there.
  expect(messageFor('email', 'de-AT', 'Ada').text).toBe('Hallo Ada, <1> ist da.');
});

test('each channel gets what its provider needs', () => {
  const email = messageFor('email', null);
  expect(email.html).toBe('<p title="&lt;1&gt;">Hello &lt;Ada &amp; &quot;Co&quot;&gt;</p>');
  expect(email.text).toBe('Hello <Ada & "Co">, <1> is on its way.');
  expect(messageFor('push', null).push).toEqual({
    title: 'On its way',
    body: '<1>',
    data: { screen: 'orders', order: '<1>' },
  });
  const approved = { name: 'order_update', language: 'en_GB', parameters: ['Ada', '<1>'] };
  expect(messageFor('whatsapp', null, 'Ada').whatsapp).toEqual(approved);
  // Only what Meta approved can be sent, whatever the locale says.
  expect(messageFor('whatsapp', 'de', 'Ada').whatsapp).toEqual(approved);
});

test('a trigger has to give the variables of its channel, in every locale', () => {
  expect(variablesOf(templateOf(ORDER), 'email')).toEqual(['orderId']);
  const by = { templateId: 't', body: '{{a}}', sms: { text: '{{b}}' }, locales: { de: { body: 'x' } } };
  expect(variablesOf(templateOf(by), 'push')).toEqual(['a']);
  expect(variablesOf(templateOf(by), 'sms')).toEqual(['b']);
});

test('a template that would fail when it is sent is refused with the catalog', () => {
  expect(issuesOf({ body: 'Hi {{user.nick}}' })).toEqual([]);
  expect(issuesOf({ email: { subject: 'a', text: 'b' } })).toEqual([
    'templates[0] has no text for whatsapp, sms, push: add body, or whatsapp, or list its channels',
  ]);
  expect(issuesOf({ channels: ['email'], email: { subject: 'a', text: 'b' } })).toEqual([]);
  expect(issuesOf({ body: 'x', locales: { banana_split: { body: 'y' } } })).toEqual([
    'templates[0].locales.banana_split is not a locale tag, such as en-GB',
  ]);
  expect(issuesOf({ body: 'x', locales: { 'en-GB': { body: 'y' }, en_gb: { body: 'z' } } })).toEqual([
    'templates[0].locales.en_gb is the same locale as en-GB',
  ]);
  expect(
    issuesOf({ channels: ['sms'], body: '{{orderId}}', locales: { de: { body: '{{orderNo}}' } } }),
  ).toEqual([
    'templates[0].locales.de.body uses {{orderNo}}, which the template itself does not use for sms',
  ]);
  expect(issuesOf({ body: 'x', push: { title: 'a', body: '{{user.nick|you}}' } })).toEqual([
    'templates[0].push.body uses {{user.nick}}, but users have only user.name, user.phone and user.accountNumber',
  ]);
  expect(issuesOf({ body: 'x', push: { title: 'a', body: 'b', sound: 'c' } })[0]).toMatch(
    /templates\[0\]\.push\.sound/,
  );
});
