//! The tree of an expression. It prints as R's `deparse` prints it, as coefficient names are made of that text.
use std::fmt;

use super::number::format_number;
use super::token::is_plain_name;

/// Where in the text something stands, in characters. All positions are equal, so that trees compare by content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position(pub usize);

impl PartialEq for Position {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `!a`
    Not,
}

/// Operators with two operands, loosest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a^b`, also written `a**b`
    Power,
    /// `a:b`
    Colon,
    /// `a %in% b`
    In,
    /// `a %% b`
    Remainder,
    /// `a %/% b`
    Quotient,
    /// `a * b`
    Times,
    /// `a/b`
    Divide,
    /// `a + b`
    Plus,
    /// `a - b`
    Minus,
    /// `a < b`
    Less,
    /// `a > b`
    Greater,
    /// `a <= b`
    LessEqual,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a & b`
    And,
    /// `a && b`
    AndAlso,
    /// `a | b`
    Or,
    /// `a || b`
    OrElse,
}

impl UnaryOp {
    /// The precedence of R: `-a^2` is `-(a^2)`, `-a:b` is `(-a):b`, `!a == b` is `!(a == b)`.
    pub fn precedence(self) -> u8 {
        match self {
            UnaryOp::Minus | UnaryOp::Plus => 9,
            UnaryOp::Not => 3,
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [BinaryOp; 19] = [
        BinaryOp::Power,
        BinaryOp::Colon,
        BinaryOp::In,
        BinaryOp::Remainder,
        BinaryOp::Quotient,
        BinaryOp::Times,
        BinaryOp::Divide,
        BinaryOp::Plus,
        BinaryOp::Minus,
        BinaryOp::Less,
        BinaryOp::Greater,
        BinaryOp::LessEqual,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::And,
        BinaryOp::AndAlso,
        BinaryOp::Or,
        BinaryOp::OrElse,
    ];

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        self.printed().trim()
    }

    /// As R's `deparse` spaces it.
    fn printed(self) -> &'static str {
        match self {
            BinaryOp::Power => "^",
            BinaryOp::Colon => ":",
            BinaryOp::In => " %in% ",
            BinaryOp::Remainder => "%%",
            BinaryOp::Quotient => "%/%",
            BinaryOp::Times => " * ",
            BinaryOp::Divide => "/",
            BinaryOp::Plus => " + ",
            BinaryOp::Minus => " - ",
            BinaryOp::Less => " < ",
            BinaryOp::Greater => " > ",
            BinaryOp::LessEqual => " <= ",
            BinaryOp::GreaterEqual => " >= ",
            BinaryOp::Equal => " == ",
            BinaryOp::NotEqual => " != ",
            BinaryOp::And => " & ",
            BinaryOp::AndAlso => " && ",
            BinaryOp::Or => " | ",
            BinaryOp::OrElse => " || ",
        }
    }

    /// How tightly it binds: R's table, from `^` (10) to `|` (1).
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Power => 10,
            BinaryOp::Colon => 8,
            BinaryOp::In | BinaryOp::Remainder | BinaryOp::Quotient => 7,
            BinaryOp::Times | BinaryOp::Divide => 6,
            BinaryOp::Plus | BinaryOp::Minus => 5,
            BinaryOp::And | BinaryOp::AndAlso => 2,
            BinaryOp::Or | BinaryOp::OrElse => 1,
            _ => COMPARISON,
        }
    }

    /// Whether it compares.
    pub fn is_comparison(self) -> bool {
        self.precedence() == COMPARISON
    }
}

/// The precedence of `< > <= >= == !=`: above `!`, below `+`.
const COMPARISON: u8 = 4;

/// An argument of a call, `name = value` or `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name, where one is given.
    pub name: Option<String>,
    /// The value.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Number(f64, Position),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// `NULL`.
    Null,
    /// A string.
    Text(String, Position),
    /// The name of a column, or `.`.
    Name(String, Position),
    /// `op operand`.
    Unary(UnaryOp, Box<Expr>, Position),
    /// `left op right`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Position),
    /// `(inner)`.
    Paren(Box<Expr>),
    /// `function(arguments)`.
    Call {
        /// The function.
        function: String,
        /// Its arguments.
        arguments: Vec<Argument>,
        /// Where it stands.
        position: Position,
    },
}

impl Expr {
    /// Where it starts, as far as known.
    pub fn position(&self) -> usize {
        match self {
            Expr::Name(_, position)
            | Expr::Number(_, position)
            | Expr::Text(_, position)
            | Expr::Unary(_, _, position)
            | Expr::Call { position, .. } => position.0,
            Expr::Binary(_, left, _, _) => left.position(),
            Expr::Paren(inner) => inner.position(),
            _ => 0,
        }
    }

    /// Every name in it that stands for a column, in order of appearance, each once.
    pub fn column_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.collect_names(&mut names);
        names
    }

    fn collect_names(&self, names: &mut Vec<String>) {
        match self {
            Expr::Name(name, _) if !names.contains(name) => names.push(name.clone()),
            Expr::Unary(_, inner, _) | Expr::Paren(inner) => inner.collect_names(names),
            Expr::Binary(_, left, right, _) => {
                left.collect_names(names);
                right.collect_names(names);
            }
            Expr::Call { arguments, .. } => arguments.iter().for_each(|a| a.value.collect_names(names)),
            _ => {}
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(value, _) => f.write_str(&format_number(*value)),
            Expr::Bool(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Expr::Null => f.write_str("NULL"),
            Expr::Text(text, _) => write_quoted(f, text, '"'),
            Expr::Name(name, _) => write_name(f, name),
            Expr::Unary(op, inner, _) => write!(f, "{}{inner}", op.symbol()),
            Expr::Binary(op, left, right, _) => write!(f, "{left}{}{right}", op.printed()),
            Expr::Paren(inner) => write!(f, "({inner})"),
            Expr::Call { function, arguments, .. } => write_call(f, function, arguments),
        }
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, function: &str, arguments: &[Argument]) -> fmt::Result {
    write_name(f, function)?;
    f.write_str("(")?;
    for (i, argument) in arguments.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        if let Some(name) = &argument.name {
            write_name(f, name)?;
            f.write_str(" = ")?;
        }
        write!(f, "{}", argument.value)?;
    }
    f.write_str(")")
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain_name(name) {
        f.write_str(name)
    } else {
        write_quoted(f, name, '`')
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str, quote: char) -> fmt::Result {
    write!(f, "{quote}")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '\\' => f.write_str("\\\\")?,
            c if c == quote => write!(f, "\\{c}")?,
            c => write!(f, "{c}")?,
        }
    }
    write!(f, "{quote}")
}
