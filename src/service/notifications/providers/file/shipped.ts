import fcm from './shipped/fcm-v1.json' with { type: 'json' };
import generic from './shipped/generic.json' with { type: 'json' };
import sendgrid from './shipped/sendgrid.json' with { type: 'json' };
import twilio from './shipped/twilio-sms.json' with { type: 'json' };
import whatsapp from './shipped/whatsapp-cloud.json' with { type: 'json' };

/** The provider files that ship with svc, by name; each is a ProviderFile. */
export const SHIPPED: Readonly<Record<string, object>> = {
  'twilio-sms': twilio,
  'whatsapp-cloud': whatsapp,
  'fcm-v1': fcm,
  sendgrid,
  generic,
};
