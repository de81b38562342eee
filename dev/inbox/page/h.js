// @ts-check
/**
 * Makes an element; text goes in as text, so nothing of a mail can become markup.
 *
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} [children]
 */
export function h(name, attributes, children = []) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
