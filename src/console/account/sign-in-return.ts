const ITEM = 'phonebooth.sign-in';

/** Where one was before one went to the identity provider, and whether the browser is to keep the key. */
interface Return {
  to: string;
  remember: boolean;
}

/** For when one comes back; this tab alone has it, and no address does. */
export function noteReturn(back: Return): void {
  sessionStorage.setItem(ITEM, JSON.stringify(back));
}

/** The phones, where nothing was noted: the sign-in began in another tab, or at another address of the service. */
export function takeReturn(): Return {
  const noted = sessionStorage.getItem(ITEM);
  sessionStorage.removeItem(ITEM);
  return noted === null ? { to: '/devices', remember: false } : (JSON.parse(noted) as Return);
}
