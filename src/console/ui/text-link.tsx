import type { ComponentProps } from 'react';
import { Link } from '../router.tsx';

/** A link in running text or in a table, which is underlined only under the pointer. */
export function TextLink({ className = '', ...rest }: ComponentProps<typeof Link>) {
  return <Link className={`rounded break-words underline-offset-4 hover:underline ${className}`} {...rest} />;
}
