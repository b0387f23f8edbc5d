/** Every environment variable that svc reads, with its meaning, for the help and docs/environment.md. */
export const ENVIRONMENT = {
  'Which service': {
    SVC_PROFILE: 'profile to use, as --profile',
    SVC_BASE_URL: 'base URL of the service, as --base-url',
    SVC_WORKSPACE: 'workspace to use, as --workspace',
    SVC_API_KEY: 'server key; never a flag',
    SVC_REGION: 'region the base URL is expected to serve, as --region',
    SVC_WEBHOOK_SECRET: 'signing secret for create, rotate, listen, verify, sign, send, test and replay',
  },
  'Where files are': {
    SVC_CONFIG_DIR: 'folder of profiles and their secrets; else $XDG_CONFIG_HOME/svc, else ~/.config/svc',
    SVC_DATA_DIR:
      'folder of the data of local, journals and limits; else $XDG_DATA_HOME/svc, else ~/.local/share/svc',
    XDG_CONFIG_HOME: 'parent of the default SVC_CONFIG_DIR',
    XDG_DATA_HOME: 'parent of the default SVC_DATA_DIR',
    XDG_CACHE_HOME: 'where the compiled code is kept, in svc/; else ~/.cache',
    LOCALAPPDATA: 'on Windows the parent of all three defaults, as svc and svc/cache, in place of ~',
    HOME: 'the home folder; USERPROFILE on Windows',
    USERPROFILE: 'the home folder where HOME is not set',
  },
  'What is shown': {
    NO_COLOR: 'disables color, if not empty',
    FORCE_COLOR: 'color even if the output is not a terminal, unless 0 or empty',
    TERM: 'dumb: disables color',
  },
  'The service on this machine': {
    SVC_DATABASE_URL:
      'database of svc serve and svc data, as --database; libpq variables such as PGPASSWORD apply too',
    SVC_SEED: 'seed of the random choices of the service',
    SVC_DATA_KEY: 'key of personal fields, 64 hex characters; else the file beside the data',
    SVC_SMTP_URL: 'mail server for e-mail notifications: smtp:// or smtps://',
    SVC_SMTP_FROM: 'sender of those e-mails',
    SVC_WHATSAPP_URL: 'provider called for WhatsApp notifications',
    SVC_SMS_URL: 'provider called for SMS notifications',
    SVC_PUSH_URL: 'provider called for push notifications',
    SVC_PROVIDER_SECRET: 'secret that signs calls to providers, at least 16 characters',
    SVC_PROVIDER_KEYS_HONOURED:
      '1: the providers honour Idempotency-Key, so a request without a response is retried',
    SVC_PROVIDERS: 'a provider per channel, as --provider: sms=twilio-sms,push=fcm-v1',
    SVC_EMAIL_URL: 'URL called for e-mails by the provider generic',
    SVC_PROVIDER_RECEIPTS: '1: the provider generic sends receipts',
    SVC_PUBLIC_URL:
      'address of this service as others reach it: for receipts of providers, and links that unsubscribe',
    SVC_RECEIPTS_LIMIT: 'receipts of providers per minute and workspace (12000)',
    TWILIO_ACCOUNT_SID: 'twilio-sms: account SID',
    TWILIO_AUTH_TOKEN:
      'twilio-sms: auth token (or TWILIO_AUTH_TOKEN_FILE, a file of mode 0600, as for every secret below)',
    TWILIO_FROM: 'twilio-sms: sender',
    TWILIO_BASE_URL: 'twilio-sms: address of the API',
    WHATSAPP_ACCESS_TOKEN: 'whatsapp-cloud: token of a system user',
    WHATSAPP_PHONE_NUMBER_ID: 'whatsapp-cloud: identifier of the sending number',
    WHATSAPP_APP_SECRET: 'whatsapp-cloud: app secret, for receipts',
    WHATSAPP_VERIFY_TOKEN: 'whatsapp-cloud: verify token of the webhook, for receipts',
    WHATSAPP_BASE_URL: 'whatsapp-cloud: address and version of the Graph API',
    FCM_SERVICE_ACCOUNT: 'fcm-v1: JSON key of the service account (or FCM_SERVICE_ACCOUNT_FILE)',
    FCM_BASE_URL: 'fcm-v1: address of the API',
    SENDGRID_API_KEY: 'sendgrid: API key',
    SENDGRID_FROM: 'sendgrid: address of a verified sender',
    SENDGRID_VERIFICATION_KEY: 'sendgrid: verification key of the signed event webhook, for receipts',
    SENDGRID_BASE_URL: 'sendgrid: address of the API',
    SVC_OUTBOX_FILE: 'file for notifications of channels without a provider; else beside the data',
  },
} as const satisfies Record<string, Record<string, string>>;
