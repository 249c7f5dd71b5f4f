import assert from 'node:assert/strict';
import { isHideable, redactor, type Secret } from '../../../src/core/base/secrets.ts';
import {
  addressSecrets,
  argumentSecrets,
  headerSecrets,
  variableSecrets,
} from '../../../src/core/session/credentials.ts';

const values = (secrets: readonly Secret[]): readonly string[] => [
  ...new Set(secrets.map(({ value }) => value).filter(isHideable)),
];

suite('Credentials in the environment of a server', () => {
  const WHOLE =
    'API_KEY OPENAI_APIKEY apiKey GitHub_Token githubToken CLIENT_SECRET SECRET_KEY_BASE DB_PASS DBPASS PGPASS ' +
    'PGPASSWORD PGPASS2 MYSQL_PWD SMTP_PASSWD passphrase REDISCLI_AUTH OAUTH GITLAB_PAT SESSION_COOKIE MY_JWT ' +
    'AWS_SECRET_ACCESS_KEY AWS_CREDENTIALS ANTHROPIC_AUTH_TOKEN npm_config__authToken DB_PASSWORT BEARER HTTPPassword ' +
    'ADMIN_PW TOKEN2 API_KEY_1 HASH_KEY KENNWORT';
  for (const name of WHOLE.split(' '))
    test(`${name} is one`, () =>
      assert.deepEqual(values(variableSecrets(name, 'correct horse 9')), ['correct horse 9']));

  const HARMLESS: readonly (readonly [string, string])[] = [
    ['NODE_ENV', 'production'],
    ['API_KEY', 'changeme'],
    ['AUTH_MODE', 'client_secret_basic'],
    ['AUTHOR', 'John Smith the First'],
    ['MAX_TOKENS', '100000000'],
    ['TOKENIZERS_PARALLELISM', 'sometimes'],
    ['KEYBOARD_LAYOUT', 'de-latin1-nodeadkeys'],
    ['COMPASS', 'north-north-west'],
    ['API_KEY', 'short'],
    ['API_KEY_FILE', '/run/secrets/key'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXXabcdef/agent.123'],
    ['SECRET_NAME', 'the-name-of-it'],
    ['AUTH_URL', 'https://auth.example.com/login'],
    ['DATABASE_URL', 'postgres://localhost:5432/app'],
    ['PGPASSFILE', '/home/me/.pgpass'],
    ['PATH', '/usr/local/bin:/usr/bin'],
    ['GREETING', 'hello to everybody'],
    ['SORT_KEY', 'created_at'],
    ['DYNAMO_PARTITION_KEY', 'customer_id'],
    ['S3_OBJECT_KEY', 'reports/latest.csv'],
    ['PASSWORD_POLICY', 'strong-passwords'],
    ['SESSION_COOKIE_SAMESITE', 'strict-mode'],
    ['HEADERS', '{"Accept":"application/json","X-Page-Size":"100000000","Notion-Version":"2022-06-28"}'],
    ['ODD', '"token": "\\x and more"'],
    ['GIT_ASKPASS', 'git-gui--askpass'],
  ];
  for (const [name, value] of HARMLESS)
    test(`${name}=${value} is none`, () => assert.deepEqual(values(variableSecrets(name, value)), []));

  test('a value in the shape of a credential is one under any name', () => {
    const shaped = [
      'ghp_0123456789abcdefghijABCDEFGHIJ012345',
      'github_pat_11AAAAAAA0aaaaaaaaaaaa_bbbbbbb',
      'sk-proj-0123456789abcdef',
      'xoxb-123456789012-abcdefghij',
      'AKIAIOSFODNN7EXAMPLE',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END RSA PRIVATE KEY-----',
      'Bearer abcdefgh12345678',
    ];
    for (const value of shaped) assert.ok(values(variableSecrets('X', value)).includes(value), value);
  });

  test('the password in an address is one, as it is written and decoded, also a short one beside its user', () => {
    const hidden = (name: string, value: string, text: string): string => redactor(variableSecrets(name, value))(text);
    const url = 'postgres://app:p%40ss-word@db.example.com:5432/app';
    assert.equal(
      hidden('DATABASE_URL', url, `${url} says p@ss-word, p%40ss-word`),
      'postgres://app:[secret: DATABASE_URL]@db.example.com:5432/app says [secret: DATABASE_URL], [secret: DATABASE_URL]',
    );
    assert.equal(
      hidden('REDIS_URI', 'redis://me:hunter2@cache/0', 'at redis://me:hunter2@cache/0'),
      'at redis://[secret: REDIS_URI]/0',
    );
    assert.equal(
      hidden('REPO', 'https://0123456789abcdefghij@git.example.com/x', 'user 0123456789abcdefghij'),
      'user [secret: REPO]',
    );
    assert.match(
      hidden('PROXY', 'http://me:opensesame@proxy', `Basic ${btoa('me:opensesame')}`),
      /^Basic \[secret: PROXY\]$/,
    );
  });

  test('the user in an address is none, unless it has the length or the shape of a token', () => {
    const of = (url: string): boolean =>
      values(variableSecrets('X', url)).some((value) => /^(?:admin|ghp_|0123)/.test(value) && !value.includes(':'));
    assert.deepEqual(
      [
        of('https://administrator@host/x'),
        of('https://administrator:s3cr3tpassw@host/x'),
        of('https://0123456789abcdefghi@host/x'),
        of('https://0123456789abcdefghij@host/x'),
        of('https://0123456789abcdefghij:s3cr3tpassw@host/x'),
        of('https://ghp_0123456789abcdef:x@host/x'),
      ],
      [false, false, false, true, false, true],
    );
  });

  test('so are the credentials in a query, a connection string and the path of a web hook', () => {
    assert.deepEqual(values(variableSecrets('FEED', 'https://x.test/f?user=me&api_key=abcdef123456&n=1')), [
      'abcdef123456',
    ]);
    assert.deepEqual(values(variableSecrets('MSSQL', 'Server=db;User Id=sa;Password=correct-horse;Encrypt=true')), [
      'correct-horse',
    ]);
    assert.deepEqual(
      values(variableSecrets('AZURE_STORAGE', 'AccountName=devs;AccountKey=bm90IGEga2V5IGF0IGFsbA==;EndpointSuffix=x')),
      ['bm90IGEga2V5IGF0IGFsbA=='],
    );
    assert.deepEqual(values(variableSecrets('PG', "host=db user=me password='two words' dbname=x")), ['two words']);
    assert.deepEqual(
      values(variableSecrets('SLACK_WEBHOOK', 'https://hooks.example.com/services/T0001/B0001/a1b2c3d4e5f6g7h8i9')),
      ['a1b2c3d4e5f6g7h8i9'],
    );
  });
});

suite('Credentials of a connection', () => {
  test('are what headers carry, but for headers that never carry one', () => {
    assert.deepEqual(values(headerSecrets('X-Whatever', 'a-long-value')), ['a-long-value']);
    assert.deepEqual(values(headerSecrets('Authorization', 'Bearer abcdef123')), ['Bearer abcdef123', 'abcdef123']);
    assert.deepEqual(values(headerSecrets('Authorization', `Basic ${btoa('me:open-sesame')}`)), [
      `Basic ${btoa('me:open-sesame')}`,
      btoa('me:open-sesame'),
      'me:open-sesame',
      'open-sesame',
    ]);
    assert.ok(values(headerSecrets('Cookie', 'sid=abcdefgh1234; theme=dark')).includes('abcdefgh1234'));
    for (const [name, value] of [
      ['User-Agent', 'mcp-live/1.0 (test)'],
      ['Accept', 'text/event-stream'],
      ['Origin', 'https://x.test'],
    ] as const)
      assert.deepEqual(values(headerSecrets(name, value)), [], name);
  });

  test('are on the command line behind an option or a name', () => {
    const args = [
      'serve',
      '--token',
      'abcdef123',
      '--api-key=abcdef456',
      'DB_PASS=abcdef789',
      '--mode',
      'read-only',
      '-v',
    ];
    assert.deepEqual(values(argumentSecrets(args)), ['abcdef123', 'abcdef456', 'abcdef789']);
  });

  test('are in headers on the command line, and in values that are JSON', () => {
    const token = 'ntn_0123456789abcdef';
    const bearer = `Bearer ${token}`;
    for (const args of [
      ['-H', `Authorization: ${bearer}`],
      ['--header', `authorization:${bearer}`],
      [`--header=Authorization: ${bearer}`],
      [`-HAuthorization: ${bearer}`],
      [`Authorization: ${bearer}`],
      ['--headers', JSON.stringify({ Authorization: bearer })],
    ])
      assert.ok(values(argumentSecrets(args)).includes(token), args.join(' '));
    assert.deepEqual(values(argumentSecrets(['--header', 'X-Tenant: my-company'])), ['my-company']);
    assert.deepEqual(values(argumentSecrets(['--header', 'Accept: application/yaml'])), []);
    const json = JSON.stringify({ Authorization: bearer, 'Notion-Version': '2022-06-28', 'api-key': 'quo"te\\d-key' });
    assert.deepEqual(values(variableSecrets('OPENAPI_MCP_HEADERS', json)), [bearer, token, 'quo"te\\d-key']);
  });

  test('are in the address of the server', () => {
    assert.deepEqual(values(addressSecrets('https://me:open-sesame@x.test/mcp')).includes('open-sesame'), true);
    assert.deepEqual(values(addressSecrets('https://x.test/mcp?token=abcdef123')), ['abcdef123']);
    assert.deepEqual(values(addressSecrets('https://x.test/s/550e8400-e29b-41d4-a716-446655440000/mcp')), [
      '550e8400-e29b-41d4-a716-446655440000',
    ]);
    assert.deepEqual(values(addressSecrets('https://x.test/some-long-name-of-a-server/mcp?page=1')), []);
  });
});
