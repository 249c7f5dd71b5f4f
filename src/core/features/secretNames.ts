const SECRET_NAME = new RegExp(
  [
    'pass ?(word|wort|phrase|code|wd)|passwd|pwd|secret|credential|private key|api ?key|access key|auth ?key|licen[cs]e key',
    '(access|auth|bearer|refresh|api|session|id) ?token|^token$|mnemonic|seed phrase|recovery (code|phrase)',
    '\\b(pin|otp|mfa|2fa|cvv2?|cvc|iban|ssn|tan)\\b|one.?time|security code|(credit|debit|bank)? ?card (number|no)|account number',
  ].join('|'),
  'i',
);

/** Whether what is called so is likely to be a secret: nobody can tell by the value. */
export function namesSecret(name: string): boolean {
  return SECRET_NAME.test(inWords(name));
}

/** `apiKey`, `API_KEY` and `api-key` alike. */
function inWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ');
}
