import { checkAddress } from './bus.ts';
import { CONTROL_PLANE_MAY, hostMay } from './nats-subjects.ts';

const PUBLIC_USER_KEY = /^U[A-Z2-7]{55}$/;

/** Who proves itself to the NATS server with which key. */
export interface NatsUsers {
  /** Public nkey of the control plane's processes: api and gateways. */
  controlPlane: string;
  hosts: readonly { hostId: string; publicNkey: string }[];
}

/**
 * The `authorization` block of a nats-server configuration (docs.nats.io, "Authorization"): each user may do what
 * nats-subjects.ts says, and answer once, within a minute, where it was asked. Nobody else is let in.
 * @throws BusError `failed` for an id that is no address; Error for a key that is no public user nkey
 */
export function natsUsers({ controlPlane, hosts }: NatsUsers): string {
  const users = [
    user('control plane', controlPlane, CONTROL_PLANE_MAY),
    ...hosts.map(({ hostId, publicNkey }) => {
      checkAddress(hostId);
      return user(`host ${hostId}`, publicNkey, hostMay(hostId));
    }),
  ];
  return `authorization {\n  users = [\n${users.join('')}  ]\n}\n`;
}

function user(who: string, nkey: string, may: { publish: string[]; subscribe: string[] }): string {
  if (!PUBLIC_USER_KEY.test(nkey)) throw new Error(`the key of ${who} is no public user nkey`);
  return `    # ${who}
    {
      nkey: ${nkey}
      permissions: {
        publish: ${JSON.stringify(may.publish)}
        subscribe: ${JSON.stringify(may.subscribe)}
        allow_responses: { max: 1, expires: "1m" }
      }
    }
`;
}
