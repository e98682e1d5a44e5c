import { type ReactNode, useEffect, useRef } from 'react';
import { useUsage } from '../data/queries.ts';
import { BrandMark } from '../icons.tsx';
import { Link, type Route } from '../router.tsx';
import { texts } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { NotLiveNote } from './not-live-note.tsx';
import { UsageMeter } from './usage-meter.tsx';

const text = texts.navigation;

function NavigationLink({
  href,
  current,
  children,
}: {
  href: string;
  current: boolean;
  children: ReactNode;
}) {
  return (
    <Link
      href={href}
      aria-current={current ? 'page' : undefined}
      className="rounded-lg px-0.5 py-2 text-xs font-medium text-soft max-sm:grow max-sm:text-center sm:px-3 sm:text-sm hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink forced-colors:aria-[current=page]:underline"
    >
      {children}
    </Link>
  );
}

/** The frame of every page except a phone's, which needs the full height. */
export function Layout({ current, children }: { current: Route['page']; children: ReactNode }) {
  const usage = useUsage().data;
  const isOperator = usage?.role === 'admin';
  const nav = useRef<HTMLElement>(null);
  // Where the navigation is wider than the screen, the link of the current page may be scrolled out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another link, and operators have one more
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current, isOperator]);
  return (
    <div className="flex min-h-full flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-floating focus:m-2 focus:rounded-lg focus:bg-panel focus:px-3 focus:py-2"
      >
        {texts.skipToContent}
      </a>
      <header className="sticky top-0 z-raised border-b border-line bg-page">
        <div className="mx-auto flex max-w-page flex-wrap items-center px-2.5 md:h-16 md:flex-nowrap md:gap-2 md:px-6">
          <Link href="/devices" className="mr-4 flex items-center gap-2.5 rounded-lg max-md:ml-1.5">
            <BrandMark />
            <span className="text-lg font-semibold tracking-tight md:max-lg:sr-only">{texts.product}</span>
          </Link>
          <nav
            ref={nav}
            aria-label={text.label}
            className="flex overflow-x-auto sm:gap-0.5 py-1 [scrollbar-width:none] max-md:order-last max-md:w-full max-md:pb-2"
          >
            <NavigationLink href="/devices" current={current === 'devices'}>
              {text.devices}
            </NavigationLink>
            <NavigationLink
              href="/sessions"
              current={current === 'sessions' || current === 'session-details'}
            >
              {text.sessions}
            </NavigationLink>
            <NavigationLink href="/apps" current={current === 'apps'}>
              {text.apps}
            </NavigationLink>
            <NavigationLink href="/usage" current={current === 'usage'}>
              {text.usage}
            </NavigationLink>
            <NavigationLink href="/keys" current={current === 'keys'}>
              {text.keys}
            </NavigationLink>
            <NavigationLink href="/webhooks" current={current === 'webhooks'}>
              {text.webhooks}
            </NavigationLink>
            {isOperator && (
              <NavigationLink href="/admin/devices" current={current === 'admin'}>
                {text.operate}
              </NavigationLink>
            )}
          </nav>
          <div className="ml-auto flex items-center gap-2 max-md:py-1.5">
            <div>
              <UsageMeter />
            </div>
            <AccountMenu />
          </div>
        </div>
      </header>
      <NotLiveNote />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto w-full max-w-page grow px-4 pt-8 pb-24 outline-none sm:px-6"
      >
        {children}
      </main>
    </div>
  );
}
