import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { LINK_PURPOSES, type LinkHello } from './link.ts';

const SCHEME = 'Phonebooth-Link';
const HEADER = new RegExp(`^${SCHEME} ([\\w-]{1,2048})$`);

/** Whether the session and purpose exist is checked later, by the listener that accepts or refuses the link. */
const Hello = Type.Object({
  sessionId: Type.String({ minLength: 1, maxLength: 200 }),
  epoch: Type.Integer({ minimum: 0 }),
  purpose: Type.Enum([...LINK_PURPOSES]),
  ticket: Type.String({ minLength: 1, maxLength: 200 }),
});
const validator = Compile(Hello);

/**
 * The value of the `Authorization` header that opens a link: `Phonebooth-Link <JSON of the hello, base64url>`. A
 * header is used because URLs are written to logs.
 */
export function encodeHello({ sessionId, epoch, purpose, ticket }: LinkHello): string {
  const hello: Static<typeof Hello> = { sessionId, epoch, purpose, ticket };
  return `${SCHEME} ${Buffer.from(JSON.stringify(hello)).toString('base64url')}`;
}

/** The hello in such a header, or null when the header contains none. */
export function parseHello(authorization: string | undefined): LinkHello | null {
  const encoded = HEADER.exec(authorization ?? '')?.[1];
  if (!encoded) return null;
  try {
    const hello: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (!validator.Check(hello)) return null;
    const { sessionId, epoch, purpose, ticket } = hello as LinkHello;
    return { sessionId, epoch, purpose, ticket };
  } catch {
    return null;
  }
}
