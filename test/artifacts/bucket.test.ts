import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArtifactBucket } from '../../src/control-plane/artifacts/artifact-bucket.ts';
import { ArtifactStorageError } from '../../src/control-plane/artifacts/artifact-files.ts';
import { BucketClient, type BucketSettings } from '../../src/control-plane/artifacts/bucket-client.ts';
import { elementsOf, textOfElement } from '../../src/control-plane/artifacts/bucket-xml.ts';
import { startObjectGateway, type TestObjectGateway } from '../fixtures/object-gateway.ts';
import { artifactFilesSuite } from './suite.ts';

const TIMES = { requestMs: 60_000, partMs: 60_000, idleMs: 60_000, retryMs: 10, abandonedMs: 86_400_000 };

let gateway: TestObjectGateway;
beforeAll(async () => {
  gateway = await startObjectGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function newBucket(bucket: string, prefix: string): Promise<BucketSettings> {
  const { origin, accessKey, secretKey } = gateway;
  const settings = { origin, bucket, prefix, region: null, accessKey, secretKey };
  await new BucketClient(settings, TIMES).send({ method: 'PUT' });
  return settings;
}

async function uploadsIn(settings: BucketSettings): Promise<string[]> {
  const { text } = await new BucketClient(settings, TIMES).send({ method: 'GET', query: { uploads: '' } });
  return elementsOf(text, 'Upload').map((upload) => textOfElement(upload, 'Key'));
}

const named = (prefix: string) => async () => {
  const settings = await newBucket(prefix ? 'suite-with-prefix' : 'suite', prefix);
  return {
    files: new ArtifactBucket(settings, TIMES),
    leftovers: () => uploadsIn(settings),
    [Symbol.asyncDispose]: async () => {},
  };
};
artifactFilesSuite('a bucket', named(''));

test('an object has the name and the type of the artifact', async () => {
  const settings = await newBucket('names', 'phones/lab-1/');
  const files = new ArtifactBucket(settings, TIMES);
  await files.check();
  expect(await files.freeBytes()).toBeNull();
  await files.write('art_1', one('{}\n'), { size: 3, type: 'x' });
  const client = new BucketClient(settings, TIMES);
  const { headers, text } = await client.send({ method: 'GET', key: 'phones/lab-1/art_1' });
  expect({ type: headers['content-type'], text }).toEqual({ type: 'x', text: '{}\n' });
});

test('incomplete uploads are removed when they are old, unless they belong to other programs', async () => {
  const settings = await newBucket('uploads', 'phones/');
  const client = new BucketClient(settings, TIMES);
  const keys = ['phones/art_1', 'phones/art_2', 'phones/others/art_3', 'art_4'];
  for (const key of keys) await client.send({ method: 'POST', key, query: { uploads: '' } });
  await new ArtifactBucket(settings, TIMES).removeAbandoned();
  expect((await uploadsIn(settings)).sort()).toEqual(keys.toSorted());
  await new ArtifactBucket(settings, { ...TIMES, abandonedMs: -60_000 }).removeAbandoned();
  expect((await uploadsIn(settings)).sort()).toEqual(['art_4', 'phones/others/art_3']);
});

test('wrong keys and a bucket that does not exist are errors of the storage, without the secret', async () => {
  const settings = await newBucket('errors', '');
  for (const wrong of [{ secretKey: 'wrong-secret-key' }, { bucket: 'no-such-bucket' }]) {
    const files = new ArtifactBucket({ ...settings, ...wrong }, TIMES);
    for (const attempt of [
      () => files.check(),
      () => files.write('art_1', one('a'), { size: 1, type: 'x' }),
      () => files.read('art_1', { start: 0, end: 0 }),
    ]) {
      const error = await attempt().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ArtifactStorageError);
      expect(String(error)).toMatch(
        /responded to (GET|PUT) with (403 SignatureDoesNotMatch|404 NoSuchBucket)$/,
      );
    }
  }
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
