/** A file that can't be imported as a whole, or an import that can't go on; the message is for the operator. */
export class FileError extends Error {}
