/** What a user must know before code of others is installed. */
export const FOREIGN_CODE =
  'a plugin is code of its author: it runs with your rights in every svc command and can read your keys';
