/** The headers of an answer. `Headers` of the platform costs a tenth of a short answer: it checks and sorts what is ours. */
export class AnswerHeaders {
  /** By name in lower case. */
  readonly fields: Record<string, string> = {};

  set(name: string, value: string): void {
    this.fields[name.toLowerCase()] = value;
  }

  /** Adds a value to those that the header has. */
  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.fields[key];
    this.fields[key] = before === undefined ? value : `${before}, ${value}`;
  }
}
