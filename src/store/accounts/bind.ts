import { bind } from '../engine/bind.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccountStore } from './account-store.ts';
import { getAccountByName, getUsage } from './accounts.ts';
import { admitUser } from './admit-user.ts';
import { createKey, ensureBootstrapKey, getLongestKeyLifetime } from './create-key.ts';
import { createAccount, listAccounts, updateAccount } from './fleet-accounts.ts';
import { validGrants } from './grants.ts';
import { authenticate, getKey, listFleetKeys, listKeys, recordKeyUse, sweepKeys } from './keys.ts';
import { revokeKey } from './revoke-keys.ts';
import { ensureSecret, listSecrets, rotateSecrets } from './secrets.ts';
import { claimKey, endSignIn, openBrowserSession } from './sign-in-keys.ts';
import { listUsageDays } from './usage-days.ts';
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
    getLongestKeyLifetime,
    getKey,
    listKeys,
    listFleetKeys,
    revokeKey,
    sweepKeys,
    recordKeyUse,
    authenticate,
    validGrants,
    getUsage,
    listUsageDays,
    ensureSecret,
    listSecrets,
    rotateSecrets,
    listUsers,
    getUser,
    updateUser,
    admitUser,
    claimKey,
    openBrowserSession,
    endSignIn,
  });
