import { type ReactNode, useEffect, useRef } from 'react';
import { useUsage } from '../data/queries.ts';
import { WarningIcon } from '../icons.tsx';
import { Link } from '../router.tsx';
import { adminTexts as text } from '../texts/admin.ts';
import { texts } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { AccountPage } from './accounts/account-page.tsx';
import { AccountsSection } from './accounts/accounts-section.tsx';
import { adminAddress, adminPlaceOf, SECTIONS, type Section } from './admin-address.ts';
import { AuditSection } from './audit/audit-section.tsx';
import { FleetDevicesSection } from './devices/fleet-devices-section.tsx';
import { GroupsSection } from './groups/groups-section.tsx';
import { HostsSection } from './hosts/hosts-section.tsx';
import { FleetSessionsSection } from './sessions/fleet-sessions-section.tsx';
import { UsersSection } from './users/users-section.tsx';
import { UtilisationSection } from './utilisation/utilisation-section.tsx';
import { FleetWebhooksSection } from './webhooks/fleet-webhooks-section.tsx';

/** All pages for operators. Other users see a message that they have no access. */
export function AdminPage({ path }: { path: string }) {
  const usage = useUsage();
  return (
    <Loaded query={usage}>
      {({ role }) => (role === 'admin' ? <Sections path={path} /> : <NotForYou />)}
    </Loaded>
  );
}

function NotForYou() {
  usePageTitle(text.title);
  return (
    <Message
      title={text.notOperatorTitle}
      isPage
      icon={<WarningIcon className="size-6" />}
      action={
        <ButtonLink look="primary" href="/devices">
          {text.toPhones}
        </ButtonLink>
      }
    >
      {text.notOperator}
    </Message>
  );
}

const PAGES: Record<Section, () => ReactNode> = {
  devices: () => <FleetDevicesSection />,
  hosts: () => <HostsSection />,
  accounts: () => <AccountsSection />,
  groups: () => <GroupsSection />,
  users: () => <UsersSection />,
  sessions: () => <FleetSessionsSection />,
  webhooks: () => <FleetWebhooksSection />,
  utilisation: () => <UtilisationSection />,
  audit: () => <AuditSection />,
};

function Sections({ path }: { path: string }) {
  const place = adminPlaceOf(path);
  const nav = useRef<HTMLElement>(null);
  // Where the navigation is wider than the screen, the current section's link may be scrolled out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another link
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [place?.section]);
  return (
    <>
      <nav
        ref={nav}
        aria-label={text.sections.label}
        className="mb-6 flex gap-1 overflow-x-auto [scrollbar-width:none] border-b border-line max-sm:-mx-4 max-sm:px-4"
      >
        {SECTIONS.map((section) => (
          <Link
            key={section}
            href={adminAddress(section)}
            aria-current={place?.section === section ? 'page' : undefined}
            className="border-b-2 border-transparent px-2.5 py-2.5 text-sm font-medium whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-strong aria-[current=page]:text-ink"
          >
            {text.sections[section]}
          </Link>
        ))}
      </nav>
      {contentOf(place)}
    </>
  );
}

function contentOf(place: ReturnType<typeof adminPlaceOf>): ReactNode {
  if (place === null) {
    return (
      <Message title={texts.notFound.title} isPage icon={<WarningIcon className="size-6" />}>
        {text.noSection}
      </Message>
    );
  }
  if (place.accountId !== undefined) return <AccountPage key={place.accountId} accountId={place.accountId} />;
  return PAGES[place.section]();
}
