import { includesRole, ROLES, type Role } from '../../contract/http/key.ts';
import { all, type Engine, first, list, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import { findOrCreateAccount } from './accounts.ts';
import { revokeKeysOf } from './revoke-keys.ts';
import type { AdmitCommand, AdmitOutcome } from './user-store.ts';
import { readUser } from './users.ts';

/** The account and role that a user has from now on. */
interface Standing {
  account: Tables['accounts'];
  role: Role;
}

/**
 * If a user signs in for the first time twice at once, the second insert fails; its transaction is run again and
 * finds the user.
 */
export async function admitUser(engine: Engine, command: AdmitCommand): Promise<AdmitOutcome> {
  const { identity, access } = command;
  return engine.transact(function* (now): Transaction<AdmitOutcome> {
    const before = yield* first(
      sql<Tables['users']>`
        select * from users where issuer = ${identity.issuer} and subject = ${identity.subject}
        ${engine.dialect.forUpdate}`,
    );
    const known = before ? yield* readUser(before.id) : null;
    if (known && known.disabledAt !== null)
      return { ok: false, why: 'user-disabled', user: known, ended: [] };
    const standing = access && {
      account: yield* findOrCreateAccount(access.account, now),
      role: access.role,
    };
    const ended = known ? yield* revokeUnentitledKeys(engine, known.id, standing, now) : [];
    if (!standing) return { ok: false, why: 'no-access', user: known, ended };
    if (standing.account.disabled_at !== null)
      return { ok: false, why: 'account-disabled', user: known, ended };
    const id = known?.id ?? newId('user');
    if (known) yield* updateUser(id, command, standing, now);
    else yield* insertUser(id, command, standing, now);
    return { ok: true, user: (yield* readUser(id))!, ended };
  });
}

/**
 * The identity provider's current answer is authoritative: keys of another account, or with a higher role than the
 * user has now, are revoked.
 */
function* revokeUnentitledKeys(
  engine: Engine,
  userId: string,
  standing: Standing | null,
  now: Timestamp,
): Transaction<SessionRow[]> {
  const fits = standing
    ? sql`account_id = ${standing.account.id}
        and role in (${list(ROLES.filter((role) => includesRole(standing.role, role)).map((role) => sql`${role}`))})`
    : sql`1 = 0`;
  const detail = 'the permissions of its user were reduced';
  return yield* revokeKeysOf(engine, userId, sql`not (${fits})`, detail, now);
}

function* insertUser(
  id: string,
  { identity, ticket }: AdmitCommand,
  { account, role }: Standing,
  now: Timestamp,
): Transaction<void> {
  const { issuer, subject, name, email } = identity;
  yield* all(
    sql`insert into users (id, issuer, subject, account_id, name, email, role, created_at, ticket_hash, ticket_until)
      values (${id}, ${issuer}, ${subject}, ${account.id}, ${name}, ${email}, ${role}, ${now},
        ${ticket.hash}, ${now + ticket.validForMs})`,
  );
}

function* updateUser(
  id: string,
  { identity, ticket }: AdmitCommand,
  { account, role }: Standing,
  now: Timestamp,
): Transaction<void> {
  yield* all(
    sql`update users set account_id = ${account.id}, name = ${identity.name}, email = ${identity.email},
      role = ${role}, ticket_hash = ${ticket.hash}, ticket_until = ${now + ticket.validForMs}
      where id = ${id}`,
  );
}
