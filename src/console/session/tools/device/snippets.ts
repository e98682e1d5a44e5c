import type { PhoneMethod } from '../../../../contract/sockets/control-methods.ts';
import { texts } from '../../../texts.ts';

const text = texts.tools.device.snippets;

interface Snippet {
  title: string;
  /** Only offered if the phone supports this method. */
  needs?: PhoneMethod;
  code(sessionId: string, origin: string): string;
}

const SNIPPETS: readonly Snippet[] = [
  {
    title: text.adb,
    // An operator allows the shell and adb together.
    needs: 'shell',
    code: (sessionId) => `npx phonebooth adb ${sessionId} --port 5600\nadb connect 127.0.0.1:5600`,
  },
  {
    title: text.sdk,
    code: (sessionId, origin) =>
      [
        "import { Phonebooth } from 'phonebooth-client';",
        '',
        `const phones = new Phonebooth({ url: '${origin}', key: process.env.PHONEBOOTH_API_KEY });`,
        `const phone = await phones.attach('${sessionId}');`,
        'await phone.tap(0.5, 0.5);',
      ].join('\n'),
  },
  {
    title: text.curl,
    code: (sessionId, origin) =>
      [
        'curl -H "Authorization: Bearer $PHONEBOOTH_API_KEY" \\',
        `  ${origin}/v1/sessions/${sessionId}/screenshot -o screen.png`,
      ].join('\n'),
  },
];

/** Returns the programs that use a session, for its user to copy. They read the key from the environment. */
export const snippetsFor = (sessionId: string, origin: string, capabilities: readonly PhoneMethod[]) =>
  SNIPPETS.filter(({ needs }) => needs === undefined || capabilities.includes(needs)).map(
    ({ title, code }) => ({ title, code: code(sessionId, origin) }),
  );
