import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, type Flags, readClientConfig, readConfig } from './config.ts';
import { isSecret, SETTINGS, type SettingName } from './settings.ts';

const message = (flags: Flags, environment: Record<string, string> = {}) => {
  try {
    readConfig(flags, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'no error';
};

describe('config', () => {
  test('has a default for every setting', () => {
    expect(readConfig({}, {})).toMatchObject({
      host: '127.0.0.1',
      port: 7100,
      tlsPort: 7143,
      simulatedPhones: 4,
      quotaMinutes: null,
      maxSessions: null,
      maxDurationMinutes: 480,
      idleTimeoutMs: 0,
      streamUrl: null,
      databaseUrl: null,
      adb: 'auto',
      scrcpyServer: null,
      androidScreen: { maxSize: 1280, maxFps: 60, bitRate: 8_000_000 },
    });
  });

  test('reads the environment, with flags taking precedence', () => {
    const environment = { PHONEBOOTH_PORT: '8000', PHONEBOOTH_IDLE_TIMEOUT: '90' };
    expect(readConfig({}, environment)).toMatchObject({ port: 8000, idleTimeoutMs: 90_000 });
    expect(readConfig({ PHONEBOOTH_PORT: '9000' }, environment).port).toBe(9000);
  });

  test('reads the bucket of the artifacts', () => {
    const url = 'https://s3.eu-central-1.amazonaws.com/recordings/phones/lab/';
    const environment = {
      PHONEBOOTH_ARTIFACTS_BUCKET: url,
      PHONEBOOTH_ARTIFACTS_ACCESS_KEY: 'access',
      PHONEBOOTH_ARTIFACTS_SECRET_KEY: 'secret',
    };
    expect(readConfig({}, environment).artifactBucket).toEqual({
      ...{ origin: 'https://s3.eu-central-1.amazonaws.com', bucket: 'recordings', prefix: 'phones/lab/' },
      ...{ region: null, accessKey: 'access', secretKey: 'secret' },
    });
    expect(readConfig({}, { ...environment, PHONEBOOTH_ARTIFACTS_BUCKET: '' }).artifactBucket).toBeNull();
    expect(message({}, { PHONEBOOTH_ARTIFACTS_BUCKET: url })).toBe(
      'PHONEBOOTH_ARTIFACTS_ACCESS_KEY is required because PHONEBOOTH_ARTIFACTS_BUCKET is set',
    );
    for (const wrong of ['s3://b', 'https://storage', 'https://key:secret@storage/b', 'https://storage/b//c'])
      expect(message({}, { ...environment, PHONEBOOTH_ARTIFACTS_BUCKET: wrong })).toContain(
        'must be a URL such as',
      );
  });

  test('reads the path of adb', () => {
    expect(readConfig({}, { PHONEBOOTH_ADB: 'off' }).adb).toBe('off');
    expect(readConfig({}, { PHONEBOOTH_ADB: 'shelf.local:5037' }).adb).toEqual({
      host: 'shelf.local',
      port: 5037,
    });
    expect(readConfig({}, { PHONEBOOTH_ADB: '[::1]:5037' }).adb).toEqual({ host: '::1', port: 5037 });
  });

  test('finds the adb server in the same place as adb itself', () => {
    const server = (environment: NodeJS.ProcessEnv) => readConfig({}, environment).defaultAdbServer;
    expect(server({})).toEqual({ host: '127.0.0.1', port: 5037 });
    expect(server({ ANDROID_ADB_SERVER_PORT: '5038' })).toEqual({ host: '127.0.0.1', port: 5038 });
    expect(server({ ANDROID_ADB_SERVER_ADDRESS: 'shelf', ANDROID_ADB_SERVER_PORT: '1' })).toEqual({
      host: 'shelf',
      port: 1,
    });
    const socket = { ADB_SERVER_SOCKET: 'tcp:[::1]:5040', ANDROID_ADB_SERVER_PORT: '5038' };
    expect(server(socket)).toEqual({ host: '::1', port: 5040 });
    expect(server({ ADB_SERVER_SOCKET: 'tcp:5041' })).toEqual({ host: '127.0.0.1', port: 5041 });
    for (const [name, value] of [
      ['ANDROID_ADB_SERVER_PORT', 'usual'],
      ['ANDROID_ADB_SERVER_PORT', '65536'],
      ['ADB_SERVER_SOCKET', 'localfilesystem:/run/adb'],
    ] as const) {
      expect(() => server({ [name]: value })).toThrow(name);
      expect(server({ [name]: value, PHONEBOOTH_ADB: 'off' })).toEqual({ host: '127.0.0.1', port: 5037 });
    }
  });

  test('reads the servers of a cluster and the identity of a host', () => {
    const seed = `SU${'A'.repeat(56)}`;
    const environment = {
      PHONEBOOTH_NATS_URL: 'nats://a:4222, tls://b',
      PHONEBOOTH_HOST_CREDENTIAL: `host_1-x.${seed}`,
    };
    expect(readConfig({}, environment)).toMatchObject({
      natsUrl: 'nats://a:4222,tls://b',
      hostCredential: { hostId: 'host_1-x', seed },
    });
  });

  test('treats an empty variable as unset', () => {
    expect(readConfig({}, { PHONEBOOTH_PORT: '' }).port).toBe(7100);
  });

  test.each([
    ['PHONEBOOTH_PORT', '70000', 'a whole number from 0 to 65535'],
    ['PHONEBOOTH_PORT', '71oo', 'a whole number from 0 to 65535'],
    ['PHONEBOOTH_HOST', 'phones', 'an IP address or localhost'],
    ['PHONEBOOTH_MAX_DURATION', '0', 'a whole number from 1 to 10080'],
    ['PHONEBOOTH_STREAM_URL', 'https://stream.example.com', 'an origin such as wss://'],
    ['PHONEBOOTH_CONTROL_URL', 'wss://control.example.com/path', 'an origin such as wss://'],
    ['PHONEBOOTH_API_KEY', 'short', '32 to 200 characters'],
    ['PHONEBOOTH_DATABASE_URL', 'mysql://localhost/x', 'postgres://'],
    ['PHONEBOOTH_ALLOWED_ORIGINS', 'example.com', 'origins such as'],
    ['PHONEBOOTH_TRUSTED_PROXIES', 'balancer.example.com', 'addresses or networks such as'],
    ['PHONEBOOTH_TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or networks such as'],
    ['PHONEBOOTH_NATS_URL', 'nats://a:4222, http://b', 'URLs such as nats://'],
    ['PHONEBOOTH_NATS_URL', 'nats://user:word@a:4222', 'without a password'],
    ['PHONEBOOTH_INGEST_URL', 'ws://gateway:7120', 'an origin such as wss://'],
    ['PHONEBOOTH_HOST_CREDENTIAL', 'host-1', 'that phonebooth hosts add printed'],
    ['PHONEBOOTH_LOG_LEVEL', 'loud', 'debug, info, warn or error'],
    ['PHONEBOOTH_QUOTA_MINUTES', '-1', 'a whole number'],
    ['PHONEBOOTH_PUBLIC_URL', 'http://phones.example.com', 'an origin such as https://'],
    ['PHONEBOOTH_PUBLIC_URL', 'https://phones.example.com/console', 'an origin such as https://'],
    ['PHONEBOOTH_OIDC_ISSUER', 'http://id.example.com', 'http:// is only allowed for this machine'],
    ['PHONEBOOTH_OIDC_SCOPES', 'profile email', 'including openid'],
    ['PHONEBOOTH_OIDC_GROUPS', 'qa', 'group=account'],
    ['PHONEBOOTH_OIDC_GROUPS', 'qa=qa:boss', 'only the roles viewer, user, admin'],
    ['PHONEBOOTH_OIDC_GROUPS', 'qa=qa,qa=lab', 'a group twice'],
    ['PHONEBOOTH_OIDC_GROUPS', '*=guests,qa=qa', '* as the last entry'],
    ['PHONEBOOTH_ADB', 'on', 'off, auto, or an address such as 127.0.0.1:5037'],
    ['PHONEBOOTH_ADB', 'phones:70000', 'off, auto, or an address'],
    ['PHONEBOOTH_ANDROID_BIT_RATE', '8M', 'a whole number'],
  ] as const)('rejects %s=%s with a one-line error that names the variable', (name, value, right) => {
    const line = message({}, { [name]: value });
    expect(line).toMatch(new RegExp(`^${name} must .*`));
    expect(line).toContain(right);
    expect(line).not.toContain('\n');
  });

  describe('a secret in a file', () => {
    let folder: string;
    const file = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'phonebooth-secrets-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('is read without its final line break, for every secret and for the URLs with passwords', async () => {
      const secret = 's'.repeat(40);
      const PHONEBOOTH_METRICS_KEY_FILE = file('metrics', `${secret}\n`);
      expect(readConfig({}, { PHONEBOOTH_METRICS_KEY_FILE }).metricsKey).toBe(secret);
      const PHONEBOOTH_DATABASE_URL_FILE = file('database', 'postgres://u:p@h/d\r\n');
      expect(readConfig({}, { PHONEBOOTH_DATABASE_URL_FILE }).databaseUrl).toBe('postgres://u:p@h/d');
      const PHONEBOOTH_API_KEY_FILE = file('key', secret);
      expect((await readClientConfig({}, { PHONEBOOTH_API_KEY_FILE })).apiKey).toBe(secret);
      for (const name of Object.keys(SETTINGS).filter((setting) => isSecret(setting as SettingName)))
        expect(message({}, { [`${name}_FILE`]: join(folder, 'none') })).toMatch(
          `${name}_FILE cannot be read: `,
        );
    });

    test('is rejected if it is ambiguous, empty, too large, or not of a secret', () => {
      const path = file('key', 'k'.repeat(40));
      const rejected = (environment: Record<string, string>) => message({}, environment);
      expect(rejected({ PHONEBOOTH_API_KEY: 'k'.repeat(40), PHONEBOOTH_API_KEY_FILE: path })).toBe(
        'PHONEBOOTH_API_KEY_FILE must not be set together with PHONEBOOTH_API_KEY',
      );
      expect(rejected({ PHONEBOOTH_API_KEY_FILE: file('empty', '\n') })).toContain('is empty');
      expect(rejected({ PHONEBOOTH_API_KEY_FILE: file('large', 'k'.repeat(70_000)) })).toContain(
        'is too large',
      );
      expect(rejected({ PHONEBOOTH_PORT_FILE: path })).toContain('PHONEBOOTH_PORT_FILE is not a setting');
      const invalid = rejected({ PHONEBOOTH_API_KEY_FILE: file('short', 'hunter2') });
      expect(invalid).toMatch(/^PHONEBOOTH_API_KEY must/);
      expect(invalid).not.toContain('hunter2');
    });
  });

  test('sends traces to its own collector, or to the one in the variables of OpenTelemetry', () => {
    const traces = (environment: Record<string, string>) => readConfig({}, environment).traces;
    const PHONEBOOTH_TRACES_URL = 'http://collector:4318/v1/traces';
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://other:4318';
    expect(traces({})).toBeNull();
    expect(traces({ PHONEBOOTH_TRACES_URL, OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
      url: PHONEBOOTH_TRACES_URL,
      protocol: 'http/json',
    });
    const OTEL_EXPORTER_OTLP_PROTOCOL = 'http/protobuf';
    expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL })).toEqual({
      url: null,
      protocol: 'http/protobuf',
    });
    expect(traces({ PHONEBOOTH_TRACES_URL, OTEL_SDK_DISABLED: 'true' })).toBeNull();
    expect(traces({ PHONEBOOTH_TRACES_URL, OTEL_TRACES_EXPORTER: 'none' })).toBeNull();
    expect(message({}, { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBe(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not "grpc"; collectors accept both on port 4318',
    );
    expect(traces({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeNull();
  });

  test('never repeats a secret', () => {
    const secret = 'hunter2';
    expect(message({}, { PHONEBOOTH_API_KEY: secret })).not.toContain(secret);
    expect(message({}, { PHONEBOOTH_DATABASE_URL: `mysql://u:${secret}@h/d` })).not.toContain(secret);
    expect(message({}, { PHONEBOOTH_NATS_URL: `nats://u:${secret}@h` })).not.toContain(secret);
    expect(message({}, { PHONEBOOTH_OIDC_CLIENT_SECRET: `${secret} ` })).not.toContain(secret);
    expect(message({}, { PHONEBOOTH_HOST_CREDENTIAL: `host.${secret}` })).not.toContain(secret);
  });

  test('rejects the same host name for both sockets', () => {
    const url = 'wss://phones.example.com';
    expect(message({}, { PHONEBOOTH_STREAM_URL: url, PHONEBOOTH_CONTROL_URL: url })).toContain(
      'must have a different host name than the stream host',
    );
    expect(message({}, { PHONEBOOTH_STREAM_URL: 'wss://127.0.0.1:7143' })).toContain(
      'PHONEBOOTH_CONTROL_URL',
    );
  });

  test('ignores only the variables that Kubernetes sets for Services', () => {
    const links = {
      PHONEBOOTH_PORT: 'tcp://10.0.0.1:80',
      PHONEBOOTH_PORT_80_TCP_ADDR: '10.0.0.1',
      PHONEBOOTH_API_PORT: 'tcp://10.0.0.1:7100',
      PHONEBOOTH_API_PORT_7100_TCP: 'tcp://10.0.0.1:7100',
      PHONEBOOTH_API_PORT_7100_TCP_PROTO: 'tcp',
      PHONEBOOTH_API_SERVICE_HOST: '10.0.0.1',
      PHONEBOOTH_API_SERVICE_PORT: '7100',
      PHONEBOOTH_API_SERVICE_PORT_HTTP: '7100',
    };
    expect(readConfig({}, links).port).toBe(7100);
    expect(message({}, { ...links, PHONEBOOTH_API_PORT: '7100' })).toMatch(
      /^PHONEBOOTH_API_PORT is not a setting/,
    );
  });

  test('rejects a certificate without its key', () => {
    expect(message({}, { PHONEBOOTH_TLS_CERT: 'cert.pem' })).toContain('PHONEBOOTH_TLS_KEY');
  });

  const SIGN_IN = {
    PHONEBOOTH_PUBLIC_URL: 'https://phones.example.com',
    PHONEBOOTH_OIDC_ISSUER: 'https://id.example.com/realms/staff',
    PHONEBOOTH_OIDC_CLIENT_ID: 'phonebooth',
    PHONEBOOTH_OIDC_GROUPS: 'cn=ops=platform:admin, a:b=team:1:user, *=guests:viewer',
  };

  test('reads the sign-in settings and applies defaults', () => {
    expect(readConfig({}, SIGN_IN).signIn).toEqual({
      issuer: 'https://id.example.com/realms/staff',
      ...{ clientId: 'phonebooth', clientSecret: null, name: 'id.example.com' },
      ...{ scopes: 'openid profile email', groupsClaim: 'groups', keyForMs: 43_200_000 },
      publicUrl: 'https://phones.example.com',
      rules: [
        { group: 'cn=ops', account: 'platform', role: 'admin' },
        { group: 'a:b', account: 'team:1', role: 'user' },
        { group: '*', account: 'guests', role: 'viewer' },
      ],
    });
    expect(readConfig({}, { PHONEBOOTH_PUBLIC_URL: 'http://localhost:7100' }).signIn).toBeNull();
  });

  test('rejects incomplete sign-in settings', () => {
    for (const missing of Object.keys(SIGN_IN)) {
      const line = message({}, { ...SIGN_IN, [missing]: '' });
      expect(line).toMatch(new RegExp(`^${missing} is required because PHONEBOOTH_OIDC_`));
    }
    expect(message({}, { PHONEBOOTH_OIDC_CLIENT_SECRET: 'word' })).toContain('PHONEBOOTH_OIDC_ISSUER');
  });

  test('rejects a misspelled variable, and suggests the settings with a similar name', () => {
    const problem = (name: string) => message({}, { [name]: '1' });
    expect(problem('PHONEBOOTH_PROT')).toBe(
      'PHONEBOOTH_PROT is not a setting. Did you mean PHONEBOOTH_PORT?',
    );
    expect(problem('PHONEBOOTH_MAX_RECORDINGS_STORAGE')).toContain(
      'Did you mean PHONEBOOTH_MAX_RECORDING_STORAGE?',
    );
    expect(problem('PHONEBOOTH_SESION_ID')).toContain('Did you mean PHONEBOOTH_SESSION_ID?');
    expect(problem('PHONEBOOTH_QUOTA')).toContain('Did you mean PHONEBOOTH_QUOTA_MINUTES?');
    expect(problem('PHONEBOOTH_COLOUR')).toMatch(/^PHONEBOOTH_COLOUR is not a setting\. The settings are PH/);
  });
});
