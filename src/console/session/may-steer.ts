import type { Session } from '../../contract/session.ts';

/** A key that may only look is told where to watch a session, and not where to control it. */
export const maySteer = (session: Session): session is Session & { control_url: string } =>
  session.control_url !== null;
