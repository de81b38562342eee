// The only import of Handlebars: a separate instance, so that nothing that another package registers on the
// shared one reaches a template.
import Handlebars from "handlebars";

export const handlebars = Handlebars.create();
export type Ast = hbs.AST.Program;
export type Node = hbs.AST.Node;
export type Statement = hbs.AST.Statement;
export type Expression = hbs.AST.Expression;
export type PathExpression = hbs.AST.PathExpression;
export type MustacheStatement = hbs.AST.MustacheStatement;
export type BlockStatement = hbs.AST.BlockStatement;
export type SubExpression = hbs.AST.SubExpression;
export type StringLiteral = hbs.AST.StringLiteral;

/** Returns whether a path is `{{./name}}` or `{{this.name}}`: never a helper, never a block parameter. */
export function isScoped(path: PathExpression): boolean {
  return /^\.|this\b/.test(path.original);
}
