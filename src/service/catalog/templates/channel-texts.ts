/** What a template says for a channel instead of its title and body. */
export interface ChannelTexts {
  readonly sms?: { readonly text: string } | undefined;
  readonly email?:
    | { readonly subject: string; readonly text: string; readonly html?: string | undefined }
    | undefined;
  readonly push?: {
    readonly title: string;
    readonly body: string;
    readonly data?: Readonly<Record<string, string>> | undefined;
  };
  /** The template that Meta approved; `parameters` are names of variables, or `user.name`, in order. */
  readonly whatsapp?:
    | { readonly name: string; readonly language: string; readonly parameters: readonly string[] }
    | undefined;
}
