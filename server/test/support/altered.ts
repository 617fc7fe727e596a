/**
 * Returns a proxy of the object with some members replaced. Methods that are not replaced stay bound to the
 * original.
 */
export function altered<T extends object>(of: T, over: Partial<T>): T {
  return new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in over ? over : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
