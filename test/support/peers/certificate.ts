import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../temp.ts';

/** A self-signed certificate for hooks.test and its key, for tests only. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmDCCAT6gAwIBAgIUSXN4WNrAWaLvq1vM05nPl2Z6bCowCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKaG9va3MudGVzdDAgFw0yNjExMjIwNDAyNTRaGA8yMTI2MTAy
OTA0MDI1NFowFTETMBEGA1UEAwwKaG9va3MudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABGkJQoaKPrZAkPGuQPSylSaoHkuVKNwiKoVrCefGzr4+FeB9fLIa
SsAzLbEgtUCa9Az7iwIuRjGfxR1YsMqr4/GjajBoMB0GA1UdDgQWBBSRNeSbqaPr
ULUjJH6javakuZN/gzAfBgNVHSMEGDAWgBSRNeSbqaPrULUjJH6javakuZN/gzAP
BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCmhvb2tzLnRlc3QwCgYIKoZIzj0E
AwIDSAAwRQIgaGkmtgL2X3F6aiWCnvBReNolsMgDxE+ahgx6sYHyfaECIQCSfK4S
wXxcW614WlegL6/QIH+WcQ1dy0pPQWfB49irtw==
-----END CERTIFICATE-----`;
export const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYtIKWZe6L2/5uriH
zqsH9C/kUUGgpWPrEFe0yQscmzahRANCAARpCUKGij62QJDxrkD0spUmqB5LlSjc
IiqFawnnxs6+PhXgfXyyGkrAMy2xILVAmvQM+4sCLkYxn8UdWLDKq+Px
-----END PRIVATE KEY-----`;

/** Another one, for other.test. */
export const OTHER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlzCCAT6gAwIBAgIUf5ZHrRD+dAkoF6oGE87Ayk6G6NIwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKb3RoZXIudGVzdDAgFw0yNjExMjIxMTEzMDFaGA8yMTI2MTAy
OTExMTMwMVowFTETMBEGA1UEAwwKb3RoZXIudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABNVVP8gGa1GbOAXpqtbk7nKafO68GNL++u0WiKRSMG0YiKGZ0jrF
aWW2drirXRwrwSbyw74kc1yyQTN1nMgpMbqjajBoMB0GA1UdDgQWBBSQxMA3MIXy
/pG5v9vH5711YgNrnjAfBgNVHSMEGDAWgBSQxMA3MIXy/pG5v9vH5711YgNrnjAP
BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCm90aGVyLnRlc3QwCgYIKoZIzj0E
AwIDRwAwRAIgUkz6DdN4U8R8n8NuH8vkpWWqx6T14vF17cpXz0OC5gECIEZ9pd4L
xIqJfEY8YKrg4DA107q5I6dnOAl+dEdLdeW8
-----END CERTIFICATE-----`;
export const OTHER_CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKJNJqprkXH+RG4Bb
Kfn0OPbLLdnvdkEGJ5yk7LLJXfGhRANCAATVVT/IBmtRmzgF6arW5O5ymnzuvBjS
/vrtFoikUjBtGIihmdI6xWlltna4q10cK8Em8sO+JHNcskEzdZzIKTG6
-----END PRIVATE KEY-----`;

/** One that expired in 2001, for expired.test. */
export const EXPIRED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBFDCBvAIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxleHBpcmVkLnRlc3Qw
HhcNMDAwMTAxMDAwMDAwWhcNMDEwMTAxMDAwMDAwWjAXMRUwEwYDVQQDDAxleHBp
cmVkLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQarThykMIWDXBU9JeP
579rlPAHpehSZUbhSFd8LuE3luGorGNzE45Xf01I7pegupRsbSn2Mx8nKLFkSHAs
6tdFMAoGCCqGSM49BAMCA0cAMEQCIBXsGXcd2EK5K045PsAb/2KyWVWkHzhrfA8l
JEBrfwUXAiAJcIl0LgbYJZW2wjvWgLCC0OXrajuZBNcksjz2UBNw7g==
-----END CERTIFICATE-----`;
export const EXPIRED_CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtg7p9l7eU8TkUB6b
vNokoZ2ZGuqgyzT3h0rY1GKo1NehRANCAAQarThykMIWDXBU9JeP579rlPAHpehS
ZUbhSFd8LuE3luGorGNzE45Xf01I7pegupRsbSn2Mx8nKLFkSHAs6tdF
-----END PRIVATE KEY-----`;

/** One for future.test that is valid from 2120 on. */
export const FUTURE_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBGDCBvgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtmdXR1cmUudGVzdDAi
GA8yMTIwMDEwMTAwMDAwMFoYDzIxMzAwMTAxMDAwMDAwWjAWMRQwEgYDVQQDDAtm
dXR1cmUudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABD51vIJ6o619+XJT
+wNKYwNqjzGDSi/pUVtjPpdBaUK0o90v+1zv/JnGiNjfFDbKeFdHZHC+xk4h7TCm
C5jN79gwCgYIKoZIzj0EAwIDSQAwRgIhAIW+aNiUIkNBrVF7YkDPt2+EFaoac+Zs
/WsVdSuFw3X1AiEA2crfEHBLG6bljO/dwjv1+f1oE55t3+FBcfhq2BttUqM=
-----END CERTIFICATE-----`;
export const FUTURE_CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge91wrT2nMmtNPRx/
n1UC/lpyViQp9InO7djXerLwvI2hRANCAAQ+dbyCeqOtfflyU/sDSmMDao8xg0ov
6VFbYz6XQWlCtKPdL/tc7/yZxojY3xQ2ynhXR2RwvsZOIe0wpguYze/Y
-----END PRIVATE KEY-----`;

/** A folder with a certificate and its key, and the flags that name them. */
export function certificateFiles() {
  const home = tempDir();
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const write = (certificate: string, privateKey: string) => {
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
  };
  write(CERTIFICATE, CERTIFICATE_KEY);
  return { home, cert, key, write, flags: ['--tls-cert', cert, '--tls-key', key] };
}
