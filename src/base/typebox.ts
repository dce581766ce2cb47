import * as TypeBox from 'typebox'

/**
 * The part of TypeBox that this project uses. The build bundles this module and its imports into one file, because the
 * 700 modules of the package would delay every start of a service by a quarter of a second.
 */
export const Type = {
  Array: TypeBox.Array,
  Boolean: TypeBox.Boolean,
  Integer: TypeBox.Integer,
  Literal: TypeBox.Literal,
  Null: TypeBox.Null,
  Number: TypeBox.Number,
  Object: TypeBox.Object,
  Optional: TypeBox.Optional,
  Partial: TypeBox.Partial,
  Refine: TypeBox.Refine,
  String: TypeBox.String,
  Unsafe: TypeBox.Unsafe,
}

export type {
  Static,
  TInteger,
  TNumber,
  TNumberOptions,
  TObject,
  TProperties,
  TSchema,
  TString,
  TStringOptions,
  TUnsafe,
} from 'typebox'
export { Compile } from 'typebox/compile'
