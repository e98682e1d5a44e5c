export function findAdbd(): { program: string; libraries: string } | null;
export function whyNoAdbd(): string | null;
export function fetchAdbd(): string;
