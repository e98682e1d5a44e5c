/** Whether a text that a stranger chose can be stored and shown: whole characters, in one line, that do as they look. */
export const isShowable = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text);
