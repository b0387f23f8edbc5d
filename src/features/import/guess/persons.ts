// cspell:ignore acheteur benutzer cliente clientes gebruiker klant klienci klient klienta kunden mitarbeiter nutzer teilnehmer
// cspell:ignore benutzername kundenid kundennr kundennummer usuario usuarios utente utenti utilisateur utilisateurs uzytkownik

/** Words for people and what stands for them. */
const ENGLISH =
  'user users customer client member visitor account subscriber player person people reviewer contact student learner ' +
  'driver patient employee author actor buyer shopper guest passenger rider viewer listener reader profile ' +
  'participant respondent donor owner caller borrower cardholder consumer distinct anonymous pseudo usr cust ' +
  'creator poster sender recipient assignee requester submitter uploader';
const OTHER_LANGUAGES =
  'cliente clientes usuario usuarios usuário usuários utente utenti comprador kunde kunden nutzer benutzer teilnehmer ' +
  'mitarbeiter utilisateur utilisateurs acheteur klient klienta klienci użytkownik uzytkownik uživatel zákazník klant ' +
  'gebruiker kundennummer kundennr kundenid benutzername kullanıcı müşteri пользователь клиент покупатель 用户 客户 会员 顧客 ユーザー 고객 사용자';

/** Those of other languages than English, in which what describes a person stands before it or after it. */
export const FOREIGN_PERSONS: ReadonlySet<string> = new Set(OTHER_LANGUAGES.split(' '));
export const PERSONS: ReadonlySet<string> = new Set([...ENGLISH.split(' '), ...FOREIGN_PERSONS]);
