/** Parsers for the settings of the bucket of artifacts; see setting-values.ts for the conventions. */

export interface BucketAddress {
  origin: string;
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
}

/** Letters, digits, `.`, `-` and `_`, but not `.` or `..`, which a URL would resolve. */
const SEGMENT = /^(?!\.{1,2}$)[\w.-]{1,200}$/;
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and upper case for other storages. */
const BUCKET = /^[a-z\d][a-z\d._-]{1,61}[a-z\d]$/i;

export function bucketAddress(text: string | undefined): BucketAddress | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const [bucket = '', ...prefix] = (url?.pathname ?? '').replace(/^\/|\/$/g, '').split('/');
  const isAddress = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (
    !isAddress ||
    url.search ||
    url.hash ||
    !BUCKET.test(bucket) ||
    !prefix.every((part) => SEGMENT.test(part))
  )
    throw new Error(
      'must be a URL such as https://s3.eu-central-1.amazonaws.com/bucket or http://minio:9000/bucket/prefix',
    );
  return { origin: url.origin, bucket, prefix: prefix.map((part) => `${part}/`).join('') };
}

export function region(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[\w-]{1,64}$/.test(text)) throw new Error('must be the name of a region such as eu-central-1');
  return text;
}
