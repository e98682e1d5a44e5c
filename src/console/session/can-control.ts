import type { Session } from '../../contract/http/session.ts';

/**
 * Whether the key may control the session. A read-only key gets the session's stream address but no control address.
 */
export const canControl = (session: Session): session is Session & { control_url: string } =>
  session.control_url !== null;
