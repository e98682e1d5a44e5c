/** Texts of the command palette. */
export const paletteTexts = {
  title: 'Commands',
  search: 'Search commands and phones',
  noMatch: 'No command matches. Try another search.',
  open: 'Open session',
  goTo: 'Go to',
  connectTo: 'Connect to',
  session: 'This session',
  tool: 'Tool',
} as const;
