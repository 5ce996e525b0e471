type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The fields of a JSON body, which are snake_case, by their names in code. */
export type CamelKeys<Body> = { readonly [Name in keyof Body as CamelCase<Name & string>]: Body[Name] };

/** All fields of a body by their names in code: none can be forgotten. */
export function camelKeys<Body extends object>(body: Body): CamelKeys<Body> {
  const entries = Object.entries(body).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(entries);
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
