import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccountStore } from './account-store.ts';
import { getAccountByName, usage } from './accounts.ts';
import { admitUser } from './admit-user.ts';
import { createAccount, listAccounts, updateAccount } from './fleet-accounts.ts';
import {
  createKey,
  getKey,
  listFleetKeys,
  listKeys,
  longestKeyLifetime,
  recordKeyUse,
  sweepKeys,
} from './fleet-keys.ts';
import { validGrants } from './grants.ts';
import { authenticate, ensureBootstrapKey, revokeKey } from './keys.ts';
import { rotateSecrets, secret, secrets } from './secrets.ts';
import { claimKey, endSignIn } from './sign-in-keys.ts';
import { usageDays } from './usage-days.ts';
import type { UserStore } from './user-store.ts';
import { getUser, listUsers, updateUser } from './users.ts';

export const accountStore = (engine: Engine): AccountStore & UserStore =>
  bind(engine, {
    createAccount,
    getAccountByName,
    listAccounts,
    updateAccount,
    ensureBootstrapKey,
    createKey,
    longestKeyLifetime,
    getKey,
    listKeys,
    listFleetKeys,
    revokeKey,
    sweepKeys,
    recordKeyUse,
    authenticate,
    validGrants,
    usage,
    usageDays,
    secret,
    secrets,
    rotateSecrets,
    listUsers,
    getUser,
    updateUser,
    admitUser,
    claimKey,
    endSignIn,
  });
