// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Token {
    function transfer(address to, uint256 value) external;
}

/// Pays several recipients, or one several times, in a single transaction out of what it holds.
contract MultiSender {
    function pay(Token token, address[] calldata recipients, uint256[] calldata values) external {
        for (uint256 i = 0; i < recipients.length; i++) {
            token.transfer(recipients[i], values[i]);
        }
    }
}
