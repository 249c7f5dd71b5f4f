import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type BundledPackage, bundledFolders, mitTerms, readPackage, thirdPartyNotices } from './thirdPartyNotices.ts';
import { inProject } from './paths.ts';

const bare: BundledPackage = { name: 'b', version: '2.0.0', license: 'MIT', texts: [], readme: '' };

suite('The third-party notices', () => {
  test('list the packages that have bytes in a bundle, and no others', () => {
    const inputs = {
      'src/extension.ts': { bytesInOutput: 9 },
      'node_modules/ws/lib/sender.js': { bytesInOutput: 3 },
      'node_modules/ws/lib/receiver.js': { bytesInOutput: 4 },
      'node_modules/ws/node_modules/@a/b/index.js': { bytesInOutput: 1 },
      'node_modules/unused/index.js': { bytesInOutput: 0 },
    };
    assert.deepEqual(bundledFolders({ 'dist/a.js': { outputs: { 'dist/a.js': { inputs } } } }), [
      'node_modules/ws',
      'node_modules/ws/node_modules/@a/b',
    ]);
  });

  test('hold the license files of each package, in the order of names', () => {
    const { text, problems } = thirdPartyNotices(
      [
        { ...bare, texts: ['License of b', 'Notice of b'] },
        { ...bare, name: 'a', version: '1.0.0', license: 'ISC', texts: ['License of a'] },
      ],
      'terms',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(text.split(/\n-{80}\n\n/).slice(1), [
      'a 1.0.0 (ISC)\n\nLicense of a\n',
      'b 2.0.0 (MIT)\n\nLicense of b\n\nNotice of b\n',
    ]);
  });

  test('state the MIT terms with the copyright of a package without a license file', () => {
    const sectionOf = (item: BundledPackage): string | undefined =>
      thirdPartyNotices([item], 'terms').text.split(/\n-{80}\n\n/)[1];
    assert.equal(
      sectionOf({ ...bare, author: 'Ann <ann@example.org> (https://example.org)' }),
      'b 2.0.0 (MIT)\n\nCopyright (c) Ann\n\nterms\n',
    );
    assert.equal(
      sectionOf({ ...bare, author: 'Ann', readme: '## License\n\nCopyright 2014-2021 Ben.\n' }),
      'b 2.0.0 (MIT)\n\nCopyright 2014-2021 Ben.\n\nterms\n',
    );
  });

  test('fail for a package without a license text, under MIT without an owner too', () => {
    const missing = [bare, { ...bare, name: 'c', license: 'Apache-2.0', author: 'Ann' }];
    assert.deepEqual(thirdPartyNotices(missing, 'terms').problems, [
      'b 2.0.0 is bundled, but has no license text. Remove it from the bundle.',
      'c 2.0.0 is bundled, but has no license text. Remove it from the bundle.',
    ]);
  });

  test('find the license of every dependency of the product', () => {
    const { dependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const packages = Object.keys(dependencies).map((name) => readPackage(inProject('node_modules', name)));
    const mit = mitTerms(readFileSync(inProject('LICENSE'), 'utf8'));
    assert.match(mit, /^Permission is hereby granted[^]*SOFTWARE\.$/);
    assert.deepEqual(thirdPartyNotices(packages, mit).problems, []);
  });
});
