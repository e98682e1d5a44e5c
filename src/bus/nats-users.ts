import { checkAddress } from './bus.ts';
import { CONTROL_PLANE_PERMISSIONS, hostPermissions } from './nats-subjects.ts';

const PUBLIC_USER_KEY = /^U[A-Z2-7]{55}$/;

/** The public keys with which processes authenticate to the NATS server. */
export interface NatsUsers {
  /** Public nkey of the processes of the control plane: API and gateways. */
  controlPlane: string;
  hosts: readonly { hostId: string; publicNkey: string }[];
}

/**
 * The `authorization` block of a nats-server configuration (docs.nats.io, "Authorization"). Each user has the
 * permissions in nats-subjects.ts, and may respond once, within a minute, to each request. No other client can
 * connect.
 * @throws BusError `failed` for an id that is not a valid address; Error for a key that is not a public user nkey
 */
export function natsUsers({ controlPlane, hosts }: NatsUsers): string {
  const users = [
    user('control plane', controlPlane, CONTROL_PLANE_PERMISSIONS),
    ...hosts.map(({ hostId, publicNkey }) => {
      checkAddress(hostId);
      return user(`host ${hostId}`, publicNkey, hostPermissions(hostId));
    }),
  ];
  return `authorization {\n  users = [\n${users.join('')}  ]\n}\n`;
}

function user(who: string, nkey: string, may: { publish: string[]; subscribe: string[] }): string {
  if (!PUBLIC_USER_KEY.test(nkey)) throw new Error(`the key of ${who} is not a public user nkey`);
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
