import { useState } from 'react';
import type { Usage } from '../../contract/http/usage.ts';
import { browserSession } from '../account/browser-session.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { useUsage } from '../data/queries.ts';
import { BookIcon, CodeIcon, MoonIcon, SignOutIcon, SunIcon, SystemIcon } from '../icons.tsx';
import { keyTexts } from '../texts/keys.ts';
import { texts } from '../texts.ts';
import { Menu, MenuChoice, MenuDivider, MenuHeading, MenuItem, MenuLink } from '../ui/menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { storedTheme, storeTheme, THEMES, type Theme } from './theme.ts';

const text = texts.accountMenu;
const THEME_ICONS = {
  system: <SystemIcon className="size-4.5" />,
  light: <SunIcon className="size-4.5" />,
  dark: <MoonIcon className="size-4.5" />,
};

/** Who is signed in, in which account and role; the theme, the documents, and signing out. */
export function AccountMenu() {
  const usage = useUsage().data;
  const name = usage?.user?.name ?? usage?.account;
  return (
    <Menu
      label={name === undefined ? text.label : text.labelOf(name)}
      icon={<Initial name={name} />}
      side="bottom"
    >
      {usage && <Identity usage={usage} />}
      <ThemeChoice />
      <MenuDivider />
      <MenuLink icon={<BookIcon className="size-4.5" />} href="/docs/">
        {text.documentation}
      </MenuLink>
      <MenuLink icon={<CodeIcon className="size-4.5" />} href="/docs/api">
        {text.reference}
      </MenuLink>
      <MenuDivider />
      <MenuItem
        icon={<SignOutIcon className="size-4.5" />}
        onSelect={() => void browserSession.signOut().catch((error) => toast(errorSentence(error)))}
      >
        {text.signOut}
      </MenuItem>
    </Menu>
  );
}

function Initial({ name = '' }: { name: string | undefined }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-8 place-items-center rounded-full border border-line bg-sunken text-sm font-semibold text-ink"
    >
      {name.charAt(0).toLocaleUpperCase()}
    </span>
  );
}

/** A user with their account and role, or the account and the role of a key that belongs to no user. */
function Identity({ usage: { user, account, role } }: { usage: Usage }) {
  const roleName = keyTexts.roles[role];
  return (
    <>
      <div className="max-w-72 px-2.5 pt-1.5 pb-2">
        <p className="truncate font-medium">{user?.name ?? account}</p>
        {user?.email && <p className="truncate text-soft">{user.email}</p>}
        <p className="truncate text-soft">
          {user ? text.standing(account, roleName) : text.keyStanding(roleName)}
        </p>
      </div>
      <MenuDivider />
    </>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme);
  const change = (next: Theme) => {
    storeTheme(next);
    setTheme(next);
  };
  return (
    <>
      <MenuHeading>{text.theme}</MenuHeading>
      <MenuChoice
        value={theme}
        options={THEMES.map((value) => ({ value, label: text.themes[value], icon: THEME_ICONS[value] }))}
        onChange={change}
      />
    </>
  );
}
