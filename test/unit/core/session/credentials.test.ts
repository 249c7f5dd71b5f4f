import assert from 'node:assert/strict';
import { isHideable, redactor, type Secret } from '../../../../src/core/base/secrets.ts';
import {
  addressSecrets,
  argumentSecrets,
  headerSecrets,
  variableSecrets,
} from '../../../../src/core/session/credentials.ts';

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
    test(`${name}=${value} is no credential`, () => assert.deepEqual(values(variableSecrets(name, value)), []));

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

  test('the user in an address is no credential, unless it has the length or format of a token', () => {
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

suite('The name of a variable', () => {
  const VALUE = 'correct horse 9';
  const credentials = (names: readonly string[]): readonly string[] =>
    names.filter((name) => values(variableSecrets(name, VALUE)).length > 0);

  test('says that it is a credential in the singular and in the plural', () => {
    const words =
      'password passwort passphrase passcode passwd pass pwd secret secrets token tokens credential credentials ' +
      'cred creds key keys auth oauth pat pats cookie cookies jwt bearer dsn apikey pgpass salt signature webhook';
    const names = words.split(' ').flatMap((word) => [word, `MY_${word.toUpperCase()}`, `${word}_prod`]);
    assert.deepEqual(credentials(names), names);
  });

  test('is no match in a word that only starts or ends like one', () => {
    const names =
      'bypass compass surpass trespass askpass monkey donkeys turkey hotkey publickey pubkey tokenizer keyboard ' +
      'author secretary passenger saltwater patio webhooks_enabled signatures cookiecutter jwts';
    assert.deepEqual(credentials(names.split(' ')), []);
  });

  test('that continues only describes a credential', () => {
    const words =
      'file files path paths dir dirs directory name names id ids type types method methods mode modes algorithm ' +
      'algorithms alg enabled disabled host hosts port ports endpoint endpoints region regions issuer audience scope ' +
      'scopes user users username usernames expiry expires expiration ttl timeout limit limits max min count length ' +
      'size budget provider providers sock socket version prefix header required cmd command policy samesite consent ' +
      'symbol binding bindings event events store storage strategy backend format';
    const names = words.split(' ').map((word) => `API_KEY_${word}`);
    assert.deepEqual(credentials(names), []);
    const finding = 'sort primary foreign partition object row range group index lookup order'.split(' ');
    assert.deepEqual(credentials(finding.flatMap((word) => [`${word}_key`, `my_${word}_keys`])), []);
    const opening = finding.flatMap((word) => [`re${word}_key`, `${word}x_key`, `${word}_token`]);
    assert.deepEqual(credentials([...opening, 'sort_keyx_key']), [...opening, 'sort_keyx_key']);
    const others = ['API_KEY_PROFILE', 'API_KEY_IDEA', 'API_KEY_CLIMAX', 'API_KEY_MINT', 'FILE_API_KEY'];
    assert.deepEqual(credentials(others), others);
  });

  test('is read word by word, however the words are put together', () => {
    assert.deepEqual(
      credentials([
        'apiTokenFile',
        'secretKey2File',
        'TOKEN_PEMFile',
        'token-file',
        'token.file_',
        '__token__file__',
        'TOKENFile',
      ]),
      [],
    );
    const names = ['apiToken', 'token2', 'API_KEY12', 'monKey', 'key.prod', '_key_', 'file-token', 'v2Key', 'PGPASS_x'];
    assert.deepEqual(credentials(names), names);
    assert.deepEqual(credentials(['', '_', '7', 'ÄÖÜ', 'token2x']), []);
  });

  test('makes a number none, unless it is a password', () => {
    const found = (name: string, value: string): boolean => values(variableSecrets(name, value)).length > 0;
    for (const number of ['123456789', '1.234.567,8', '1_000_000_000']) {
      assert.equal(found('TOKENS', number), false, number);
      assert.deepEqual(
        ['DB_PASS', 'DB_PWD', 'SECRET'].map((name) => found(name, number)),
        [true, true, true],
      );
    }
    for (const other of ['123456789x', 'x123456789', '12345x6789']) assert.equal(found('TOKENS', other), true, other);
  });
});

suite('The shape of a value', () => {
  const shaped = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => values(variableSecrets('X', text)).includes(text));

  test('shows a credential by what its issuer begins it with', () => {
    const body = '0123-AB_9';
    const prefixes =
      'gho ghp ghs ghu ghr github_pat glpat gldt npm pypi hf dop_v1 doo_v1 shpat shpca shppa shpss lin_api lin_oauth ntn ' +
      'xapp atlasv1 figd phc rk_live rk_test sk_live pk_test whsec dckr_pat dckr_oat sntrys sntryu secret';
    const long =
      'sk- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- AKIA ASIA AIza ya29. SG. EAAC ATATT glsa_ sq0abc- tvly- pplx- gsk_ r8_ key-';
    const texts = [
      ...prefixes.split(' ').flatMap((prefix) => [`${prefix}_${body}`, `${prefix}-${body}`]),
      ...long.split(' ').map((prefix) => `${prefix}${body}.+/=`),
      'hf_01234567',
      'sk-0123456789ab',
      'eyabcdefgh.abcdefgh.',
      'ey-bcdef_h.-bcdef_h.-_9',
      '-----BEGIN PRIVATE KEY-----',
      'text\n-----BEGIN EC2 PRIVATE KEY-----\nMII',
      'bearer   abcdefgh',
      'BASIC\tabcd-fgh',
      'Token abc.defgh',
    ];
    assert.deepEqual(shaped(texts), texts);
    assert.deepEqual(shaped([' hf_01234567 ']), [' hf_01234567 ']);
  });

  test('shows no credential if it is shorter or continues', () => {
    const texts = [
      'ghx_0123456789',
      'zk_live_0123456789',
      'sntryx_0123456789',
      'hf.0123456789',
      'hf_0123456',
      'hf_0123 456789',
      'hf_0123456789 x',
      'x hf_0123456789',
      'xhf_0123456789',
      'sk-0123456789a',
      'xoxz-0123456789ab',
      'sq0a-0123456789ab',
      'sq0123-0123456789ab',
      'sq0abcd-0123456789ab',
      'sk-0123456789ab!',
      '!sk-0123456789ab',
      'eyabcdefg.abcdefgh.s',
      'eyabcdefgh.abcdefg.s',
      'xeyabcdefgh.abcdefgh.s',
      'eyabcdefgh.abcdefgh.s!',
      'eyabcdefgh.abcdefgh',
      '-----BEGIN PUBLIC KEY-----',
      'bearer abcdefg',
      'xbearer abcdefgh',
      'bearer abcdefgh i',
      'bearerxabcdefgh',
    ];
    assert.deepEqual(shaped(texts), []);
  });
});

suite('An address', () => {
  const HEX = '0123456789abcdef0123456789abcdef';
  const inPath = (parts: readonly string[]): readonly string[] =>
    parts.filter((part) => values(addressSecrets(`https://x.test/a/${part}/b`)).includes(part));
  const inHook = (parts: readonly string[]): readonly string[] =>
    parts.filter((part) => values(variableSecrets('WEBHOOK', `https://x.test/a/${part}`)).includes(part));

  test('has a key in its path if a segment looks generated', () => {
    const keys = [
      'abcdefghijklmnopqrstuvW1',
      '1Wabcdefghij-lmnopqrst_v',
      'W1CDEFGHIJKLMNOPQRSTUVWx',
      HEX,
      `${HEX}0f`,
      '550e8400-e29b-41d4-a716-446655440000',
      'ghp_0123456789',
    ];
    assert.deepEqual(inPath(keys), keys);
    const names = [
      'abcdefghijklmnopqrstuW1',
      'abcdefghijklmnopqrstuvw1',
      'ABCDEFGHIJKLMNOPQRSTUVW1',
      'abcdefghijklmnopqrstuvwX',
      '.abcdefghijklmnopqrstuvW1',
      'abcdefghijklmnopqrstuvW1.',
      HEX.slice(1),
      `${HEX.slice(1)}g`,
      `x${HEX}`,
      `${HEX}x`,
      '550e8400-e29b-41d4-446655440000',
      'x550e8400-e29b-41d4-a716-446655440000',
      '550e8400-e29b-41d4-a716-446655440000x',
      '550e8400-e29b-41d4-a716-44665544000',
    ];
    assert.deepEqual(inPath(names), []);
  });

  test('that is called a credential holds it in a shorter part', () => {
    const keys = ['a1b2c3d4e5f6g7h8', 'ABCDEFGHIJKLMNO1', '123456789012345a', '-_-_-_-_-_-_-_a1'];
    assert.deepEqual(inHook(keys), keys);
    assert.deepEqual(
      inHook(['a1b2c3d4e5f6g7h', 'abcdefghijklmnopq', '12345678901234567', '.a1b2c3d4e5f6g7h8', 'a1b2c3d4e5f6g7h8.']),
      [],
    );
  });

  test('is searched in its path alone, not in its host and its query', () => {
    for (const url of [
      `https://${HEX}${HEX}/a`,
      `s3://${HEX}${HEX}/a`,
      `git+ssh://${HEX}${HEX}`,
      `https://${HEX}?a`,
      `https://${HEX}#a`,
      `https://x.test/a?b/${HEX}/c`,
      `https://x.test/a#b/${HEX}/c`,
    ])
      assert.deepEqual(values(addressSecrets(url)), [], url);
    assert.deepEqual(values(addressSecrets(`https://x.test/${HEX}?a`)), [HEX]);
    assert.deepEqual(values(variableSecrets('API_KEY', `key https://x.test/y`)), ['key https://x.test/y']);
    for (const url of ['s3://bucket/long-path', 'svn+ssh://host/long-path', 'HTTPS://host/long-path'])
      assert.deepEqual(values(variableSecrets('API_KEY', url)), [], url);
  });

  test('is searched as it is written and without its percent-encoding', () => {
    assert.deepEqual(values(addressSecrets('https://x.test/?token=abc%2Fdefgh&b=1')), ['abc%2Fdefgh', 'abc/defgh']);
    assert.deepEqual(values(addressSecrets('https://x.test/?token=abc%defgh')), ['abc%defgh']);
    assert.deepEqual(addressSecrets('https://x.test/?token=abcdefgh1'), [{ name: 'url', value: 'abcdefgh1' }]);
  });

  test('holds credentials in the members of its query and of its fragment', () => {
    const secret = (member: string, value = 'abcdefgh1'): boolean =>
      values(variableSecrets('FEED', `https://x.test/f${member}=${value}`)).includes(value);
    assert.deepEqual(
      ['?key', '#access_token', '?a=1&api-key', '?a;api.key', '?sig', '?SIG', '?code', '?a=b&code'].filter(
        (member) => !secret(member),
      ),
      [],
    );
    assert.deepEqual(
      ['?user', '?design', '?mysig', '?signed', '?codec', '?barcode', '/key', '?key_id'].filter((member) =>
        secret(member),
      ),
      [],
    );
    assert.deepEqual(
      [secret('?x', 'ghp_0123456789'), secret('?key', '123456789'), secret('?x', '123456789')],
      [true, false, false],
    );
    assert.deepEqual(values(variableSecrets('FEED', 'https://x.test/f?key=abcdefgh1 and more')), ['abcdefgh1']);
  });

  test('holds a password beside its user, also in any text', () => {
    const found = (text: string): readonly string[] => values(variableSecrets('X', text));
    const pair = (text: string): string => btoa(text);
    assert.deepEqual(found('see svn+ssh2://me:open-sesame@host/x?y now'), ['open-sesame', pair('me:open-sesame')]);
    assert.deepEqual(found('http://me:abc@host/x'), ['me:abc@host', pair('me:abc')]);
    assert.deepEqual(found('http://me:ab@host/x'), []);
    assert.deepEqual(found('http://me@host/x'), []);
    assert.deepEqual(found('http://0123456789abcdefghi@host'), []);
    assert.deepEqual(found('http://0123456789abcdefghij@host'), ['0123456789abcdefghij']);
    assert.deepEqual(found('http://0123456789abcdefghij:@host'), ['0123456789abcdefghij']);
    assert.deepEqual(found('http://me:p%40ssword@h'), [
      'p%40ssword',
      'p@ssword',
      pair('me:p%40ssword'),
      pair('me:p@ssword'),
    ]);
    assert.deepEqual(found('a b@c, http://host/me:open-sesame@x'), []);
    assert.deepEqual(found('http://host?me:open-sesame@x http://host#me:open-sesame@x'), []);
  });
});

suite('A connection string', () => {
  const found = (text: string): readonly string[] => values(variableSecrets('X', text));

  test('holds credentials under their names', () => {
    assert.deepEqual(found('Password=correct-horse;Server=some-long-name'), ['correct-horse']);
    assert.deepEqual(found('Server=some-long-name;Password  =  correct-horse'), ['correct-horse']);
    assert.deepEqual(found('server=x account key = correct-horse'), ['correct-horse']);
    assert.deepEqual(found('password="two words";x=y'), ['two words']);
    assert.deepEqual(found("password='two words' x=y"), ['two words']);
    assert.deepEqual(found('password=ab"cdefgh"'), ['ab"cdefgh"']);
    assert.deepEqual(found('password="abcdefgh'), ['"abcdefgh']);
    assert.deepEqual(found("password='two\nwords'"), ['two\nwords']);
  });

  test('holds none behind other names, or beside no name', () => {
    assert.deepEqual(found('Server=some-long-name;User=somebody-else'), []);
    assert.deepEqual(found('x-password=correct-horse'), []);
    assert.deepEqual(found('7password=correct-horse'), []);
    assert.deepEqual(found('https://x.test/ password=correct-horse'), []);
    assert.deepEqual(found(`${'p'.repeat(50)} password=correct-horse`), ['correct-horse']);
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

  test('are in other headers in the whole value, behind its scheme, and in each cookie', () => {
    assert.deepEqual(values(headerSecrets('X-Y', 'one two-long-credential three')), ['one two-long-credential three']);
    assert.deepEqual(values(headerSecrets('X-Y', 'one two credential')), ['one two credential']);
    assert.deepEqual(values(headerSecrets('X-Y', ' my-scheme   abcdef123 ')), [' my-scheme   abcdef123 ', 'abcdef123']);
    assert.deepEqual(values(headerSecrets('X-Y', '7scheme abcdef123')), ['7scheme abcdef123']);
    assert.deepEqual(values(headerSecrets('Cookie', 'a=abcdefgh1;b=ijklmnop2;  c=qrstuvwx3;short=1')), [
      'a=abcdefgh1;b=ijklmnop2;  c=qrstuvwx3;short=1',
      'abcdefgh1',
      'ijklmnop2',
      'qrstuvwx3',
    ]);
    assert.deepEqual(values(headerSecrets('X-Y', 'a=abcdefgh1;b=ijklmnop2')), ['a=abcdefgh1;b=ijklmnop2']);
    assert.deepEqual(values(headerSecrets('Authorization', 'Basic bm8tY29sb24taGVyZQ==')), [
      'Basic bm8tY29sb24taGVyZQ==',
      'bm8tY29sb24taGVyZQ==',
      'no-colon-here',
    ]);
    assert.deepEqual(values(headerSecrets('Authorization', 'Other bm8tY29sb24taGVyZQ==')), [
      'Other bm8tY29sb24taGVyZQ==',
      'bm8tY29sb24taGVyZQ==',
    ]);
  });

  test('are in none of the headers that never carry one, unless the value has the shape of one', () => {
    const names =
      'Accept Accept-Language Content-Type User-Agent Host Origin Referer Cache-Control Connection Date From Via ' +
      'Mcp-Protocol-Version X-Request-Id X-Correlation-Id X-Forwarded-For traceparent TRACESTATE';
    for (const name of names.split(' ')) assert.deepEqual(values(headerSecrets(name, 'some-long-value')), [], name);
    for (const name of ['X-Accept', 'Accept-', 'Tracestate-Key', 'Hosts', 'My-Origin'])
      assert.deepEqual(values(headerSecrets(name, 'some-long-value')), ['some-long-value'], name);
    assert.deepEqual(values(headerSecrets('User-Agent', 'ghp_0123456789')), ['ghp_0123456789']);
  });

  test('are called after their option, their variable or their place on the command line', () => {
    const rows: readonly (readonly [readonly string[], readonly Secret[]])[] = [
      [['--token', 'abcdefgh1'], [{ name: 'token', value: 'abcdefgh1' }]],
      [['-token', 'abcdefgh1'], [{ name: 'token', value: 'abcdefgh1' }]],
      [['--my.api-key=abc\ndefgh'], [{ name: 'my.api-key', value: 'abc\ndefgh' }]],
      [['_TOKEN=abc\ndefgh'], [{ name: '_TOKEN', value: 'abc\ndefgh' }]],
      [['x', 'ghp_0123456789'], [{ name: 'argument-2', value: 'ghp_0123456789' }]],
      [['--token='], []],
      [['--token'], []],
      [['--token', '--token', 'abcdefgh1'], [{ name: 'token', value: 'abcdefgh1' }]],
      [['--token', '-abcdefgh1'], []],
      [['x--token=abcdefgh1'], []],
      [['--token x', 'abcdefgh1'], []],
      [['x.TOKEN=abcdefgh1'], []],
      [['--mode', 'read-only-mode'], []],
    ];
    for (const [args, expected] of rows) assert.deepEqual(argumentSecrets(args), expected, args.join(' '));
  });
});
