const ITEM = 'phonebooth.sign-in';

/** The page that the user was on before going to the identity provider, and whether the browser is to stay signed in. */
interface Return {
  to: string;
  remember: boolean;
}

/** Saves this for the return. It is stored in this tab only, and never in a URL. */
export function saveReturn(back: Return): void {
  sessionStorage.setItem(ITEM, JSON.stringify(back));
}

/**
 * Falls back to the list of phones if nothing was saved: the sign-in started in another tab, or at another address of
 * the service.
 */
export function takeReturn(): Return {
  const saved = sessionStorage.getItem(ITEM);
  sessionStorage.removeItem(ITEM);
  return saved === null ? { to: '/devices', remember: false } : (JSON.parse(saved) as Return);
}
