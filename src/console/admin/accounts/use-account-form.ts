import { useState } from 'react';
import { type Account, MAX_ARTIFACT_DAYS } from '../../../contract/http/account.ts';
import { adminTexts } from '../../texts/admin.ts';
import { inMegabytes, limitFrom, MIB } from './limit.ts';

const text = adminTexts.accounts;

interface Values {
  name: string;
  quota_minutes: number | null;
  max_sessions: number | null;
  record_sessions: boolean;
  /** If missing, the service's default applies. */
  max_app_bytes?: number | null;
  max_artifact_bytes?: number | null;
  artifact_days?: number | null;
}

/** A field for a limit. An empty one stands for no limit; an unchanged one is not sent. */
function useLimit(current: number | null | undefined, parse: (typed: string) => number | null | undefined) {
  const before = current?.toString() ?? '';
  const [value, onChange] = useState(before);
  return { value, onChange, parsed: parse(value), isChanged: value !== before };
}

function useStorageLimit(limit: number | null | undefined, used: number, belowUse: (used: number) => string) {
  const field = useLimit(typeof limit === 'number' ? inMegabytes(limit) : limit, limitFrom);
  const { parsed } = field;
  return {
    ...field,
    bytes: typeof parsed === 'number' ? parsed * MIB : parsed,
    hint:
      limit === undefined
        ? text.storageDefault
        : typeof parsed === 'number' && parsed * MIB < used
          ? belowUse(inMegabytes(used))
          : text.storageHint(inMegabytes(used)),
  };
}

const daysFrom = (typed: string) => {
  const days = limitFrom(typed);
  return typeof days === 'number' && (days < 1 || days > MAX_ARTIFACT_DAYS) ? undefined : days;
};

function useLimits(account: Account | null) {
  const quota = useLimit(account?.quota_minutes, limitFrom);
  const sessions = useLimit(account?.max_sessions, limitFrom);
  const storage = useStorageLimit(account?.max_app_bytes, account?.app_bytes ?? 0, text.storageBelowUse);
  const artifacts = useStorageLimit(
    account?.max_artifact_bytes,
    account?.artifact_bytes ?? 0,
    text.artifactsBelowUse,
  );
  const days = useLimit(account?.artifact_days, daysFrom);
  return { quota, sessions, storage, artifacts, days };
}

/** Returns the values to send, or null if one is not valid. */
function valuesOf(name: string, record: boolean, limits: ReturnType<typeof useLimits>): Values | null {
  const { quota, sessions, storage, artifacts, days } = limits;
  if (name === '' || quota.parsed === undefined || sessions.parsed === undefined) return null;
  if (storage.bytes === undefined || artifacts.bytes === undefined || days.parsed === undefined) return null;
  return {
    name,
    quota_minutes: quota.parsed,
    max_sessions: sessions.parsed,
    record_sessions: record,
    // An unchanged limit is not sent: the service keeps it to the byte, and a new account gets the default.
    ...(storage.isChanged && { max_app_bytes: storage.bytes }),
    ...(artifacts.isChanged && { max_artifact_bytes: artifacts.bytes }),
    ...(days.isChanged && { artifact_days: days.parsed }),
  };
}

/** The entered values, and their problems, which are shown after the first attempt to submit. */
export function useAccountForm(account: Account | null) {
  const [name, setName] = useState(account?.name ?? '');
  const [record, setRecord] = useState(account?.record_sessions ?? false);
  const [isTried, setTried] = useState(false);
  const limits = useLimits(account);
  const { quota, sessions, storage, artifacts, days } = limits;
  const values = valuesOf(name.trim(), record, limits);
  const used = account?.minutes_used ?? 0;
  const isBelowUse = typeof quota.parsed === 'number' && quota.parsed < used;
  const field = (
    { value, onChange, parsed }: { value: string; onChange(value: string): void; parsed: unknown },
    wrong: string = text.wrongNumber,
  ) => ({ value, onChange, problem: isTried && parsed === undefined ? wrong : null });
  return {
    name: {
      value: name,
      onChange: setName,
      problem: isTried && name.trim() === '' ? text.nameMissing : null,
    },
    quota: { ...field(quota), hint: isBelowUse ? text.belowUse(used) : text.quotaHint },
    sessions: { ...field(sessions), hint: text.quotaHint },
    storage: { ...field(storage), hint: storage.hint },
    artifacts: { ...field(artifacts), hint: artifacts.hint },
    days: {
      ...field(days, text.wrongDays(MAX_ARTIFACT_DAYS)),
      hint: account ? text.artifactDaysHint : text.artifactDaysDefault,
    },
    record: { checked: record, onChange: setRecord },
    /** Returns the values to send, or null if one is invalid, and shows the problems from now on. */
    read: () => {
      setTried(true);
      return values;
    },
  };
}
