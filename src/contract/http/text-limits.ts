/**
 * Maximum lengths, in characters (code points), of what a person enters: a name, a note for operators, and a reason for a
 * user. They are not in the file with the schemas, because the console does not need the schemas.
 */
export const MAX_NAME_LENGTH = 100;
export const MAX_NOTE_LENGTH = 500;
export const MAX_REASON_LENGTH = 200;
