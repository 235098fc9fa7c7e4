//! Text to tokens.
use isostat_base::{Error, Result};

/// The kinds of token.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number. R's `L` at its end says nothing here, and R drops it from names, too.
    Number(f64),
    /// A string, without its quotes.
    Text(String),
    /// A name, without backticks.
    Name(String),
    /// An operator, bracket or comma.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it starts, in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it starts.
    pub position: usize,
}

/// Longest first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 24] = [
    "%in%", "%/%", "%%", "**", "==", "!=", "<=", ">=", "&&", "||", "~", "+", "-", "*", "/", "^", ":", "(",
    ")", ",", "=", "<", ">", "!",
];
const LOW_SYMBOLS: [&str; 2] = ["&", "|"];

/// What R has and a formula here has not.
const REFUSED: [(&str, &str); 6] = [
    ("<-", "assignment cannot stand in a formula"),
    ("$", "`$` cannot stand in a formula; name the column alone"),
    ("[", "`[` cannot stand in a formula; make the column first"),
    ("{", "`{` cannot stand in a formula"),
    ("@", "`@` cannot stand in a formula"),
    ("::", "`::` cannot stand in a formula; name the function alone"),
];

/// Split a formula into tokens; the last one is [`Kind::End`].
///
/// # Errors
/// [`Error::Formula`] with the position of the character that cannot be read.
pub fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut reader = Reader { text, characters: text.chars().collect(), at: 0 };
    let mut found = Vec::new();
    loop {
        reader.skip_spaces();
        let position = reader.at;
        let kind = reader.next_kind()?;
        let is_end = kind == Kind::End;
        found.push(Token { kind, position });
        if is_end {
            return Ok(found);
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    characters: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn fail<T>(&self, position: usize, reason: impl Into<String>) -> Result<T> {
        Err(Error::formula(self.text, position, reason))
    }

    fn skip_spaces(&mut self) {
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn next_kind(&mut self) -> Result<Kind> {
        let Some(first) = self.peek(0) else { return Ok(Kind::End) };
        let second_is_digit = self.peek(1).is_some_and(|c| c.is_ascii_digit());
        if first.is_ascii_digit() || (first == '.' && second_is_digit) {
            return self.number();
        }
        match first {
            '"' | '\'' => self.quoted(first).map(Kind::Text),
            '`' => self.quoted(first).map(Kind::Name),
            c if c.is_alphabetic() || c == '.' => Ok(Kind::Name(self.name())),
            _ => self.symbol(),
        }
    }

    fn name(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(is_name_character) {
            self.at += 1;
        }
        self.characters[start..self.at].iter().collect()
    }

    fn digits(&mut self) {
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Kind> {
        let start = self.at;
        self.digits();
        if self.peek(0) == Some('.') {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            self.at += 1;
            if matches!(self.peek(0), Some('+' | '-')) {
                self.at += 1;
            }
            self.digits();
        }
        let written: String = self.characters[start..self.at].iter().collect();
        self.at += usize::from(self.peek(0) == Some('L'));
        match written.parse::<f64>() {
            Ok(value) if value.is_finite() && !self.peek(0).is_some_and(is_name_character) => {
                Ok(Kind::Number(value))
            }
            _ => self.fail(start, format!("\"{written}\" is not a number")),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String> {
        let start = self.at;
        let mut content = String::new();
        self.at += 1;
        loop {
            let Some(c) = self.peek(0) else {
                return self.fail(start, format!("the {quote} that opens here is not closed"));
            };
            self.at += 1;
            match c {
                '\\' => {
                    let Some(escaped) = self.peek(0) else { continue };
                    self.at += 1;
                    match escaped {
                        'n' => content.push('\n'),
                        't' => content.push('\t'),
                        'r' => content.push('\r'),
                        '\\' | '"' | '\'' | '`' => content.push(escaped),
                        _ => return self.fail(self.at - 2, format!("\\{escaped} is not an escape")),
                    }
                }
                c if c == quote => break,
                c => content.push(c),
            }
        }
        if quote == '`' && content.is_empty() {
            return self.fail(start, "a name in backticks cannot be empty");
        }
        Ok(content)
    }

    fn starts_with(&self, symbol: &str) -> bool {
        symbol.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    fn symbol(&mut self) -> Result<Kind> {
        if let Some((_, reason)) = REFUSED.iter().find(|(symbol, _)| self.starts_with(symbol)) {
            // `a<-b` may be meant as a comparison with a negative number: R reads an assignment, too.
            return self.fail(self.at, *reason);
        }
        let known = SYMBOLS.iter().chain(&LOW_SYMBOLS).find(|symbol| self.starts_with(symbol));
        match known {
            Some(symbol) => {
                self.at += symbol.chars().count();
                Ok(Kind::Symbol(if *symbol == "**" { "^" } else { symbol }))
            }
            None => {
                let c = self.characters[self.at];
                self.fail(self.at, format!("the character `{c}` has no meaning in a formula"))
            }
        }
    }
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || c == '.' || c == '_'
}

/// The words that R keeps for itself: as a column's name they need backticks.
const RESERVED: [&str; 15] = [
    "if", "else", "repeat", "while", "function", "for", "next", "break", "TRUE", "FALSE", "NULL", "Inf",
    "NaN", "NA", "in",
];

/// Whether a name can stand without backticks.
pub fn is_plain_name(name: &str) -> bool {
    let mut characters = name.chars();
    let starts_well = match characters.next() {
        Some('.') => !characters.clone().next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphabetic(),
        None => false,
    };
    starts_well && characters.all(is_name_character) && !RESERVED.contains(&name)
}
