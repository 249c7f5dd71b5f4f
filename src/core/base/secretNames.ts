import { withoutHidden } from './hiddenText.ts';

/** Words for a secret, among any other words. Without accents: `contrasena` also matches `contraseña`. */
const SECRET_WORDS = [
  'pass ?(?:word|wort|phrase|code|wd|key)|passwd|pwd|secret|credential|(?:private|ssh|gpg|pgp|signing|encryption|deploy|master) ?key',
  '(?:api|access|auth|licen[cs]e|service|account|storage) ?key|mnemonic|seed phrase|recovery (?:code|phrase|key)|one.?time',
  'security code|(?:credit|debit|bank) ?card|card (?:number|no)|account number|social security|\\bid (?:rsa|ed25519|ecdsa|dsa)\\b',
  '\\b(?:jwt|bearer|dsn|cookies?|github token|personal access token|session ?id)\\b|connection ?string|authenticator code',
  // German, Dutch, Scandinavian, Finnish
  'passwort|kennwort|geheim(?:nis|zahl|wort)|zugangs(?:daten|code)|api ?schlussel|wachtwoord|losenord|passord|adgangskode|salasana',
  // French, Spanish, Portuguese, Italian, Romanian
  "mots? de passe|cle (?:d'?)?api|cle (?:privee|secrete)|jeton|contrasena|\\bclave\\b|senha|palavra ?passe|chiave (?:api|privata|segreta)|parola",
  // Polish, Czech, Hungarian, Turkish, Vietnamese, Indonesian
  'haslo|heslo|jelszo|\\bsifre|mat khau|kata sandi|\\bsandi\\b',
  // Russian, Ukrainian, Bulgarian, Serbian, Greek
  'парол|лозинк|секрет|токен|ключ api|api ключ|κωδικ|συνθηματικο',
  // Hebrew, Arabic, Persian, Hindi, Thai
  'סיסמ|סוד|كلمة (?:ال)?(?:مرور|سر)|رمز عبور|گذرواژه|पासवर्ड|รหัสผ่าน',
  // Japanese, Chinese, Korean
  'パスワード|暗証|合言葉|秘密|トークン|密码|密碼|口令|密钥|密鑰|令牌|비밀번호|암호|비밀 ?키|토큰',
];
const SECRET = new RegExp(SECRET_WORDS.join('|'), 'i');
/** Short words, and words that also name counted things. They must be the whole name or its end. */
const SHORT_NAME = /\b(?:pin|otp|totp|mfa|2fa|cvv2?|cvc|iban|ssn|tan|pats?|pem)\b|\btoken$/i;

/** Whether the name suggests a secret, which the value does not show. */
export function namesSecret(name: string): boolean {
  return variants(name).some((words) => SECRET.test(words) || isShortName(words));
}

/** Whether a sentence asks for a secret. */
export function mentionsSecret(text: string): boolean {
  return variants(text).some((words) => SECRET.test(words) || /\btoken\b/i.test(words));
}

function isShortName(words: string): boolean {
  return SHORT_NAME.test(words) && !/\b(?:max|min|num|count|limit|total|output|input)\b/i.test(words);
}

/** Split into words, with and without accents: `apiKey`, `API_KEY`, `api-key` and wide letters are equal. */
function variants(text: string): readonly string[] {
  const plain = withoutHidden(text).normalize('NFKC');
  const words = plain
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();
  const bare = words.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').replaceAll('ł', 'l').replaceAll('ı', 'i');
  return bare === words ? [words] : [words, bare];
}
