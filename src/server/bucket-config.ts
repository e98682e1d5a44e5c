import type { BucketSettings } from '../control-plane/artifacts/bucket-client.ts';
import { ConfigError } from './environment.ts';
import type { SettingValues } from './settings.ts';

/**
 * Requires both keys if there is an address. Without it the keys are ignored, because processes of other roles may share
 * the secrets.
 * @throws ConfigError
 */
export function toBucket(v: SettingValues): BucketSettings | null {
  const address = v.PHONEBOOTH_ARTIFACTS_BUCKET;
  if (address === null) return null;
  const required = (name: 'PHONEBOOTH_ARTIFACTS_ACCESS_KEY' | 'PHONEBOOTH_ARTIFACTS_SECRET_KEY') => {
    const value = v[name];
    if (value === null) throw new ConfigError(name, 'is required because PHONEBOOTH_ARTIFACTS_BUCKET is set');
    return value;
  };
  return {
    ...address,
    region: v.PHONEBOOTH_ARTIFACTS_REGION,
    accessKey: required('PHONEBOOTH_ARTIFACTS_ACCESS_KEY'),
    secretKey: required('PHONEBOOTH_ARTIFACTS_SECRET_KEY'),
  };
}
