import { type Config, ConfigError } from './config.ts';

/** What a process does: all of it, or one part of a fleet. */
export const ROLES = ['api', 'stream', 'control', 'agent'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that serve clients and see the store. */
export const isControlPlane = (role: Role) => role !== 'agent';
export const isAllInOne = (roles: readonly Role[]) => ROLES.every((role) => roles.includes(role));

/** @throws ConfigError naming the first setting that these roles need where they run apart from the others. */
export function insistOnSettings(config: Config, roles: readonly Role[]): void {
  if (isAllInOne(roles)) return;
  const need = (name: string, value: unknown, what: string) => {
    if (value === null) throw new ConfigError(name, `is needed by phonebooth ${roles.join(', ')}: ${what}`);
  };
  need('PHONEBOOTH_NATS_URL', config.natsUrl, 'the NATS server where the roles meet');
  if (roles.some(isControlPlane))
    need('PHONEBOOTH_DATABASE_URL', config.databaseUrl, 'the PostgreSQL database that the roles share');
  if (roles.includes('api')) {
    need('PHONEBOOTH_STREAM_URL', config.streamUrl, 'the origin at which clients reach the stream gateways');
    need(
      'PHONEBOOTH_CONTROL_URL',
      config.controlUrl,
      'the origin at which clients reach the control gateways',
    );
  }
  if (roles.includes('agent'))
    need('PHONEBOOTH_HOST_CREDENTIAL', config.hostCredential, 'what phonebooth hosts add printed');
}
