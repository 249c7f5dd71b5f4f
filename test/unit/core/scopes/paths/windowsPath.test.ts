import { fakeFiles } from '../../../../support/fakeFiles.ts';
import { assertReadings, reader } from './renderScope.ts';

const files = fakeFiles(
  {
    'c:/Ws/Src/a.ts': 'file',
    'c:/Ws/link': { link: 'D:/secrets' },
    'C:/PROGRA~1': { link: 'C:/Program Files' },
    '//srv/share/x': 'file',
  },
  { style: 'windows' },
);
const read = reader(files, {
  folders: [
    { name: 'ws', path: 'c:\\ws' },
    { name: 'net', path: '\\\\Srv\\Share\\proj' },
  ],
  userHome: 'C:\\Users\\me',
  bases: ['c:\\ws'],
});

suite('What a text may mean as a path of Windows', () => {
  test('has one way to write drives, shares and separators, and the letters that are on disk', async () => {
    await assertReadings(read, [
      ['C:\\Ws\\Src\\a.ts', 'c:/Ws/Src/a.ts [ws: Src/a.ts]'],
      ['c:/ws/SRC/A.ts', 'c:/Ws/Src/a.ts [ws: Src/a.ts] or c:/ws/SRC/A.ts'],
      ['src\\a.ts', 'c:/Ws/Src/a.ts [ws: Src/a.ts] or c:/ws/src/a.ts'],
      ['\\ws\\x', 'c:/Ws/x [ws: x] or c:/ws/x'],
      ['/etc/x', 'c:/etc/x'],
      ['C:\\', 'c:/'],
      ['D:\\x\\', 'd:/x'],
      ['..\\..\\x', 'c:/x'],
      ['c:\\ws\\link\\k', 'd:/secrets/k or c:/ws/link/k'],
      ['c:\\ws\\link\\..\\k', 'c:/Ws/k [ws: k] or c:/ws/k'],
      ['c:\\progra~1\\x', 'c:/Program Files/x or c:/progra~1/x'],
      ['\\\\srv\\share\\proj\\a', '//srv/share/proj/a [net: a]'],
      ['//srv/share/proj/../b', '//srv/share/b'],
      ['\\\\srv\\share\\..\\..\\x', '//srv/share/x'],
      ['/c/ws/a', 'c:/c/ws/a or c:/ws/a or c:/Ws/a'],
      ['/mnt/d/x', 'c:/mnt/d/x or d:/x'],
      [
        '%2f%2fsrv/share/k',
        '//srv/share/k or c:/ws/%2f%2fsrv/share/k or c:/ws/srv/share/k or c:/Ws/%2f%2fsrv/share/k or c:/Ws/srv/share/k',
      ],
    ]);
  });

  test('is what a URI of a file names, also on a share', async () => {
    await assertReadings(read, [
      ['file:///C:/ws/a', 'c:/Ws/a [ws: a] or c:/ws/a'],
      [
        'file:///c%3A/ws/My%20Docs',
        'c:/Ws/My%20Docs [ws: My%20Docs] or c:/ws/My%20Docs or c:/ws/My Docs or c:/Ws/My Docs never c:/c%3A/ws/My%20Docs',
      ],
      ['file://srv/share/x', '//srv/share/x never c:/ws/srv/share/x or c:/Ws/srv/share/x'],
      ['file:////srv/share/x', '//srv/share/x'],
      ['file://C:/ws/a', 'c:/Ws/a [ws: a] or c:/ws/a'],
      ['file://localhost/c:/x', 'c:/x'],
      ['file:///x', 'x:/ or c:/x'],
      ['vscode-remote://wsl+u/c:/x', 'c:/x'],
      ['file:///c:/ws/../x', 'c:/x'],
      ['file:///c:', '! It is relative to a folder of a drive that is not known.'],
      ['file:a', 'a:/ or c:/ws/a or c:/a or c:/Ws/a'],
    ]);
  });

  test('is in the home folder if the text says so, and refused for other variables', async () => {
    await assertReadings(read, [
      ['~\\x', 'c:/Users/me/x or c:/ws/~/x or c:/Ws/~/x'],
      ['%UserProfile%\\x', 'c:/Users/me/x or c:/ws/%UserProfile%/x or c:/Ws/%UserProfile%/x never c:/ws/x or c:/Ws/x'],
      ['$env:USERPROFILE\\x', '! It names a stream within a file.'],
      ['%AppData%\\x', '! It has a variable with an unknown value. Write the whole path.'],
      ['%TEMP%/x', '! It has a variable with an unknown value. Write the whole path.'],
    ]);
  });

  test('is also what is left when the system has cut off its tail', async () => {
    await assertReadings(read, [
      ['c:\\ws\\.env.', 'c:/Ws/.env [ws: .env] or c:/ws/.env. or c:/ws/.env'],
      ['c:\\ws\\.env ', 'c:/Ws/.env [ws: .env] or c:/ws/.env  or c:/ws/.env'],
      ['c:\\ws\\secrets.\\k', 'c:/Ws/secrets/k [ws: secrets/k] or c:/ws/secrets./k or c:/ws/secrets/k'],
      ['c:\\ws\\...\\x', '! It has a name of dots and spaces alone.'],
      ['c:\\ws\\.. \\x', '! It has a name of dots and spaces alone.'],
      ['. .', '! It has a name of dots and spaces alone.'],
    ]);
  });

  test('is refused if the system does not treat it as a file', async () => {
    await assertReadings(read, [
      ['\\\\?\\C:\\x', '! It is the path of a device.'],
      ['//?/C:/x', '! It is the path of a device.'],
      ['\\\\.\\PhysicalDrive0', '! It is the path of a device.'],
      ['\\??\\C:\\x', '! It has characters that no name of a file has.'],
      ['file://?/C:/x', 'c:/'],
      ['file://./pipe/x', '! It is the path of a device.'],
      ['\\\\srv\\pipe\\x', '! It is the path of a device.'],
      ['\\\\srv', '! It names no share.'],
      ['\\\\srv\\..\\x', '! It names no share.'],
      ['C:x', '! It is relative to a folder of a drive that is not known.'],
      ['C:', '! It is relative to a folder of a drive that is not known.'],
      ['a.txt:s', '! It names a stream within a file.'],
      ['.env::$DATA', '! It names a stream within a file.'],
      ['c:\\ws\\k:$DATA', '! It names a stream within a file.'],
      ['license:ads', 'name license:ads never c:/ws/license or c:/Ws/license'],
      ['#a:b', 'name #a:b never c:/ws/#a or c:/Ws/#a'],
      ['NUL', '! It is the path of a device.'],
      ['con', '! It is the path of a device.'],
      ['CON:', '! It is the path of a device.'],
      ['aux.txt', '! It is the path of a device.'],
      ['a\\COM1 .log\\b', '! It is the path of a device.'],
      ['lpt\u00b9', '! It is the path of a device.'],
      ['a*', '! It has characters that no name of a file has.'],
      ['a?b', '! It has characters that no name of a file has.'],
      ['a<b', '! It has characters that no name of a file has.'],
      ['a|b', '! It has characters that no name of a file has.'],
      ['"a', '! It has characters that no name of a file has.'],
      ['conin$', '! It is the path of a device.'],
      ['null', 'c:/Ws/null [ws: null] or c:/ws/null'],
      ['console', 'c:/Ws/console [ws: console] or c:/ws/console'],
    ]);
  });
});
