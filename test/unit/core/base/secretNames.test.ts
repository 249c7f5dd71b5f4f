import assert from 'node:assert/strict';
import { mentionsSecret, namesSecret } from '../../../../src/core/base/secretNames.ts';

suite('A form that asks for a secret', () => {
  const NAMES = [
    ...['password', 'passwd', 'userPassword', 'PASSPHRASE', 'githubToken', 'github_token', 'token', 'botToken'],
    ...['pat', 'gitlab-pat', 'personalAccessToken', 'cookie', 'sessionCookies', 'sshKey', 'ssh_private_key', 'id_rsa'],
    ...['id_ed25519', 'apiKey', 'API_KEY', 'signingKey', 'client secret', 'credentials', 'jwt', 'bearer', 'dsn', 'otp'],
    ...['2fa', 'pin', 'cvv', 'creditCard', 'recovery_code', 'seedPhrase', 'connectionString', 'passkey', 'sessionId'],
    ...[
      'Passwort',
      'Kennwort',
      'API-Schlüssel',
      'mot de passe',
      'clé API',
      'contraseña',
      'contrasena',
      'Clave',
      'senha',
    ],
    ...['palavra-passe', 'chiave privata', 'parolă', 'wachtwoord', 'lösenord', 'hasło', 'heslo', 'jelszó', 'şifre'],
    ...['mật khẩu', 'kata sandi', 'пароль', 'Пароля', 'секретный ключ', 'κωδικός', 'סיסמה', 'كلمة المرور', 'كلمة السر'],
    ...[
      'पासवर्ड',
      'รหัสผ่าน',
      'パスワード',
      '暗証番号',
      '密码',
      '密碼',
      '口令',
      '비밀번호',
      'ｐａｓｓｗｏｒｄ',
      'pass\u200bword',
    ],
  ];
  for (const name of NAMES) test(`names it "${name}"`, () => assert.equal(namesSecret(name), true));

  const OTHERS = [
    ...[
      'name',
      'email',
      'path',
      'compass',
      'maxTokens',
      'tokens',
      'token_count',
      'inputTokens',
      'keyboard',
      'key',
      'author',
    ],
    ...['pattern', 'patient', 'spin', 'description', 'enclave', 'city', 'Schlagwort', 'título', 'имя', '名前', '名称'],
  ];
  for (const name of OTHERS) test(`may name anything else "${name}"`, () => assert.equal(namesSecret(name), false));

  test('asks for it in its message', () => {
    const asking = [
      'Please enter your password.',
      'Paste your GitHub token here',
      'Bitte geben Sie Ihr Passwort ein',
      'Entrez votre mot de passe',
      'Introduce tu contraseña',
      'Введите пароль',
      'パスワードを入力してください',
      '请输入密码',
      'Your session cookie, please',
      'Give me your SSH key',
      'We need an access token',
      'Envía tu clave',
    ];
    for (const message of asking) assert.equal(mentionsSecret(message), true, message);
    for (const message of ['What is your name?', 'How many tokens may it use?', 'Pin the item to the top?'])
      assert.equal(mentionsSecret(message), false, message);
  });
});
