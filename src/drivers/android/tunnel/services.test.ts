import { expect, test } from 'vitest';
import { admitService } from './services.ts';

test.each([
  'shell:',
  'shell,v2,TERM=xterm,raw:ls -l',
  'exec:cmd package install -S 7',
  'abb_exec:package\0install',
  'sync:',
  'tcp:7100',
  'localabstract:chrome_devtools_remote',
  'jdwp:1234',
  'jdwp',
  'track-jdwp',
  'framebuffer:',
])('passes %j to the phone', (service) => {
  expect(admitService(service)).toEqual({ to: 'phone' });
});

test.each([
  'host:kill',
  'host:transport:emulator-5554',
  'host-serial:R5CT:shell:ls',
  'host-transport-id:3:forward:tcp:1;tcp:2',
  ' shell:ls',
  'shellcode',
  'tcp',
  '',
  `shell:${'x'.repeat(0x1_0000)}`,
])('does not pass %j on', (service) => {
  expect(admitService(service)).toBeNull();
});

test.each(['root:', 'reboot:bootloader', 'tcpip:5555', 'disable-verity:'])(
  'rejects %j with an explanation',
  (service) => {
    expect(admitService(service)).toEqual({
      to: 'rejected',
      words: expect.stringContaining('is not allowed on a borrowed phone'),
    });
  },
);

test('handles a reverse tunnel itself instead of passing it to the phone', () => {
  expect(admitService('reverse:forward:tcp:8081;tcp:8081')).toEqual({
    to: 'reverse',
    request: 'forward:tcp:8081;tcp:8081',
  });
});
