// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token that keeps 1 % of each transfer, and that its owner can pause.
contract Taxed {
    string public constant name = "Taxed Token";
    string public constant symbol = "TAX";
    uint8 public constant decimals = 6;
    bool public paused;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function pause() external {
        paused = true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!paused);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - value / 100;
        emit Transfer(msg.sender, to, value - value / 100);
        return true;
    }
}
