//! Tokens to tree, by precedence climbing with R's table.
use isostat_base::{Error, Result};

use super::expr::{Argument, BinaryOp, Expr, Position, UnaryOp};
use super::token::{tokens, Kind, Token};

/// How deep expressions may nest, so that hostile text cannot exhaust the stack.
const MAX_DEPTH: usize = 200;

/// Parse `response ~ predictors` or `~ predictors`.
///
/// # Errors
/// [`Error::Formula`].
pub fn formula(text: &str) -> Result<(Option<Expr>, Expr)> {
    let mut parser = Parser::new(text)?;
    let response = if parser.at_symbol("~") { None } else { Some(parser.expression(0)?) };
    if !parser.at_symbol("~") {
        return parser.fail(if parser.at_end() {
            "a formula needs a ~ between response and predictors".into()
        } else {
            parser.unexpected("an operator or ~")
        });
    }
    parser.advance();
    let predictors = parser.expression(0)?;
    parser.expect_end()?;
    Ok((response, predictors))
}

/// Parse an expression without `~`.
///
/// # Errors
/// [`Error::Formula`].
pub fn expression(text: &str) -> Result<Expr> {
    let mut parser = Parser::new(text)?;
    let found = parser.expression(0)?;
    parser.expect_end()?;
    Ok(found)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self> {
        Ok(Parser { text, tokens: tokens(text)?, at: 0, depth: 0 })
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn advance(&mut self) {
        // The last token is the end, and stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.token().kind, Kind::Symbol(s) if s == symbol)
    }

    fn fail<T>(&self, reason: String) -> Result<T> {
        Err(Error::formula(self.text, self.token().position, reason))
    }

    fn unexpected(&self, wanted: &str) -> String {
        match &self.token().kind {
            Kind::Number(value) => format!("{wanted} is needed, but the number {value} stands here"),
            Kind::Text(text) => format!("{wanted} is needed, but the string \"{text}\" stands here"),
            Kind::Name(name) => format!("{wanted} is needed, but the name `{name}` stands here"),
            Kind::Symbol("~") => "a formula has one ~ alone".into(),
            Kind::Symbol("=") => "`=` names an argument; write == to compare".into(),
            Kind::Symbol(symbol) => format!("{wanted} is needed, but `{symbol}` stands here"),
            Kind::End => format!("{wanted} is needed, but the formula ends here"),
        }
    }

    fn expect(&mut self, symbol: &'static str) -> Result<()> {
        if !self.at_symbol(symbol) {
            return self.fail(self.unexpected(&format!("`{symbol}`")));
        }
        self.advance();
        Ok(())
    }

    fn expect_end(&self) -> Result<()> {
        if self.at_end() {
            return Ok(());
        }
        self.fail(self.unexpected("an operator"))
    }

    fn operator(&self) -> Option<BinaryOp> {
        match self.token().kind {
            Kind::Symbol(symbol) => BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol),
            _ => None,
        }
    }

    /// An expression whose operators bind at least as tightly as `floor`.
    fn expression(&mut self, floor: u8) -> Result<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("expressions nest deeper than {MAX_DEPTH}"));
        }
        let mut left = self.operand()?;
        while let Some(op) = self.operator().filter(|op| op.precedence() >= floor) {
            let position = Position(self.token().position);
            self.advance();
            // `^` groups to the right; comparisons do not group at all.
            let right_floor = op.precedence() + u8::from(op != BinaryOp::Power);
            let right = self.expression(right_floor)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right), position);
            if op.is_comparison() && self.operator().is_some_and(BinaryOp::is_comparison) {
                return self.fail("comparisons cannot be chained; join them with &".into());
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr> {
        let Token { kind, position } = self.token().clone();
        match kind {
            Kind::Number(value) => {
                self.advance();
                Ok(Expr::Number(value, Position(position)))
            }
            Kind::Text(text) => {
                self.advance();
                Ok(Expr::Text(text, Position(position)))
            }
            Kind::Name(name) => {
                let was_quoted = self.text.chars().nth(position) == Some('`');
                self.advance();
                self.name_or_call(name, was_quoted, position)
            }
            Kind::Symbol("(") => {
                self.advance();
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(Expr::Paren(Box::new(inner)))
            }
            Kind::Symbol(symbol @ ("-" | "+" | "!")) => {
                self.advance();
                let op = match symbol {
                    "-" => UnaryOp::Minus,
                    "+" => UnaryOp::Plus,
                    _ => UnaryOp::Not,
                };
                Ok(Expr::Unary(op, Box::new(self.expression(op.precedence())?), Position(position)))
            }
            _ => self.fail(self.unexpected("a column, number, string or call")),
        }
    }

    fn name_or_call(&mut self, name: String, was_quoted: bool, position: usize) -> Result<Expr> {
        if self.at_symbol("(") {
            self.advance();
            let arguments = self.arguments()?;
            return Ok(Expr::Call { function: name, arguments, position: Position(position) });
        }
        if was_quoted {
            return Ok(Expr::Name(name, Position(position)));
        }
        match name.as_str() {
            "TRUE" => Ok(Expr::Bool(true)),
            "FALSE" => Ok(Expr::Bool(false)),
            "NULL" => Ok(Expr::Null),
            "if" | "else" | "function" | "for" | "while" | "repeat" | "next" | "break" | "in" | "NA"
            | "NaN" | "Inf" => {
                Err(Error::formula(self.text, position, format!("`{name}` cannot stand in a formula")))
            }
            _ => Ok(Expr::Name(name, Position(position))),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Argument>> {
        let mut found = Vec::new();
        if self.at_symbol(")") {
            self.advance();
            return Ok(found);
        }
        loop {
            found.push(self.argument()?);
            if self.at_symbol(")") {
                self.advance();
                return Ok(found);
            }
            if !self.at_symbol(",") {
                return self.fail(self.unexpected("`,` or `)`"));
            }
            self.advance();
        }
    }

    fn argument(&mut self) -> Result<Argument> {
        let next_is_equals = matches!(self.tokens.get(self.at + 1).map(|t| &t.kind), Some(Kind::Symbol("=")));
        let name = match &self.token().kind {
            Kind::Name(name) | Kind::Text(name) if next_is_equals => Some(name.clone()),
            _ => None,
        };
        if name.is_some() {
            self.advance();
            self.advance();
        }
        Ok(Argument { name, value: self.expression(0)? })
    }
}
