/** The date before a time of day, as part of a regular expression: the console leaves it out of today, which may be new. */
export const DATE = '(?:(?:\\w{3},? )?\\d+ \\w+ )?';
