import { type Config, ConfigError } from './config.ts';

/** The roles of a process. A process has all of them, or one of them in a fleet. */
export const ROLES = ['api', 'stream', 'control', 'agent'] as const;
export type Role = (typeof ROLES)[number];

/** Whether the role serves clients and accesses the store. */
export const isControlPlane = (role: Role) => role !== 'agent';
export const isAllInOne = (roles: readonly Role[]) => ROLES.every((role) => roles.includes(role));

/**
 * @throws ConfigError naming the first setting that is missing for these roles when they run in separate processes
 */
export function checkRoleSettings(config: Config, roles: readonly Role[]): void {
  if (isAllInOne(roles)) return;
  const need = (name: string, value: unknown, what: string) => {
    if (value === null) throw new ConfigError(name, `is required by phonebooth ${roles.join(', ')}: ${what}`);
  };
  need('PHONEBOOTH_NATS_URL', config.natsUrl, 'the NATS server that connects the roles');
  if (roles.some(isControlPlane))
    need('PHONEBOOTH_DATABASE_URL', config.databaseUrl, 'the PostgreSQL database that the roles share');
  if (roles.includes('api')) {
    need('PHONEBOOTH_STREAM_URL', config.streamUrl, 'the origin of the stream gateways, as clients reach it');
    need(
      'PHONEBOOTH_CONTROL_URL',
      config.controlUrl,
      'the origin of the control gateways, as clients reach it',
    );
  }
  if (roles.includes('agent'))
    need(
      'PHONEBOOTH_HOST_CREDENTIAL',
      config.hostCredential,
      'the credential that phonebooth hosts add printed',
    );
}
