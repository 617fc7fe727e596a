/** The same object with some members of the test's own; what belongs to the object stays bound to it. */
export function altered<T extends object>(of: T, over: Partial<T>): T {
  return new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in over ? over : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
